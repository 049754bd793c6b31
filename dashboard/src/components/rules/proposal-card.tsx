import type { IdentityProposal } from "../../api/contract.ts";
import { proposalSubject } from "../../actions/subjects.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { DiffLines } from "../history/diff-lines.tsx";
import { ProposalDetails } from "./proposal-details.tsx";

/** An open change of the identity: its diff, its author and reason, and buttons to accept or reject it. */
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
