import type { IdentityProposal } from "../../api/contract.ts";
import { Badge } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { DiffLines } from "../history/diff-lines.tsx";
import { ProposalDetails } from "./proposal-details.tsx";

/** A proposal for the identity that was refused. */
export function RefusedAttempt({ proposal }: { readonly proposal: IdentityProposal }) {
  return (
    <li class="py-2.5">
      <details class="group">
        <summary class="flex items-start gap-2.5">
          <span class="pt-1.5">
            <Chevron />
          </span>
          <span class="min-w-0 break-words">
            <Badge tone="fail">refused</Badge> {proposal.refusal}
          </span>
        </summary>
        <div class="mt-2 ml-5.5">
          <p class="max-w-[80ch] break-words text-soft">The reason given: {proposal.reason}</p>
          <div class="mt-2">
            <DiffLines diff={proposal.diff} label={`What was tried on ${proposal.file}`} />
          </div>
        </div>
      </details>
      <div class="ml-5.5">
        <ProposalDetails proposal={proposal} />
      </div>
    </li>
  );
}
