import { useState } from "preact/hooks";
import type { IdentityProposal } from "../../api/contract.ts";
import { useActions } from "../../api/use-actions.ts";
import { DiffLines } from "../history/diff-lines.tsx";
import type { CompletedAction } from "../history/done-notice.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";
import { ProposalDetails } from "./proposal-details.tsx";

type Props = { readonly proposal: IdentityProposal; readonly onDone: (done: CompletedAction) => void };

/** A change of the identity that waits: what it would change, who wants it and why, and the two answers. */
export function ProposalCard({ proposal, onDone }: Props) {
  const { id, file, reason, diff } = proposal;
  const actions = useActions();
  const [because, setBecause] = useState("");
  const accept = async () => {
    const made = await actions.act("soul/accept", { id });
    if (!made) return;
    // The file first: where that is refused, since others build on it, the proposal stays accepted.
    const [change = null, ...beside] = made.changes.map((one) => one.id);
    onDone({ text: `Accepted: ${file} is changed.`, change, beside });
  };
  const reject = async () => {
    const given = because.trim();
    const made = await actions.act("soul/reject", { id, ...(given === "" ? {} : { reason: given }) });
    if (made) onDone({ text: `Rejected: ${file} stays as it is.`, change: made.change?.id ?? null });
  };
  return (
    <li class="py-3" aria-label={`Proposal for ${file}: ${reason}`}>
      <p class="max-w-[80ch] font-medium break-words">{reason}</p>
      <ProposalDetails proposal={proposal} />
      <div class="mt-2">
        <DiffLines diff={diff} label={`What would change in ${file}`} />
      </div>
      <form
        class="mt-2 flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void reject();
        }}
      >
        <button type="button" class="press" disabled={actions.busy} onClick={() => void accept()}>
          Accept
        </button>
        <button type="submit" class="press" disabled={actions.busy}>
          Reject
        </button>
        <input
          class="field min-w-0 flex-1 basis-40 sm:max-w-80"
          aria-label="Why it is rejected"
          placeholder="why, if you like (for a rejection)"
          maxLength={500}
          value={because}
          onInput={({ currentTarget }) => setBecause(currentTarget.value)}
        />
      </form>
      {actions.problem && <ProblemNotice problem={actions.problem} />}
    </li>
  );
}
