import type { IdentityProposal } from "../../api/contract.ts";
import { proposalSubject } from "../../actions/subjects.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { DiffLines } from "../history/diff-lines.tsx";
import { ProposalDetails } from "./proposal-details.tsx";

/** A change of the identity that waits: what it would change, who wants it and why, and the two answers. */
export function ProposalCard({ proposal }: { readonly proposal: IdentityProposal }) {
  const { file, reason, diff } = proposal;
  return (
    <li class="py-3" aria-label={`Proposal for ${file}: ${reason}`}>
      <p class="max-w-[80ch] font-medium break-words">{reason}</p>
      <ProposalDetails proposal={proposal} />
      <div class="my-2">
        <DiffLines diff={diff} label={`What would change in ${file}`} />
      </div>
      <ActionBar subject={proposalSubject(proposal)} />
    </li>
  );
}
