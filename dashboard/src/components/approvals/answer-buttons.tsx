import type { Approval } from "../../api/contract.ts";
import { findAction } from "../../actions/applicable.ts";
import { answerAtOnce, isBusy } from "../../actions/run-action.ts";
import { approvalSubject } from "../../actions/subjects.ts";
import { workspaceName } from "../../text/workspace-name.ts";

type Props = {
  readonly approval: Approval;
  /** True where what follows is seen at once: then no notice says it. */
  readonly isQuiet?: boolean;
};

/** The answers to a waiting approval, each with one press: an agent waits for it. */
export function AnswerButtons({ approval, isQuiet = false }: Props) {
  const subject = approvalSubject(approval);
  const approve = (reach: "once" | "session" | "always") =>
    void answerAtOnce({ action: findAction("approvals/approve"), subject }, { reach }, isQuiet);
  const { action, workspace, isOnceOnly } = approval;
  const place = workspace === null ? "" : ` in ${workspaceName(workspace)}`;
  return (
    <div role="group" aria-label={`Answer: ${approval.summary}`} class="flex flex-wrap items-center gap-2">
      <button
        type="button"
        class="press border-good text-good"
        disabled={isBusy.value}
        title="This call only"
        onClick={() => approve("once")}
      >
        Approve once
      </button>
      {approval.session !== null && !isOnceOnly && (
        <button
          type="button"
          class="press"
          disabled={isBusy.value}
          title={`Equal actions of this session run without a question: ${action}`}
          onClick={() => approve("session")}
        >
          For the session
        </button>
      )}
      {!isOnceOnly && (
        <button
          type="button"
          class="press max-w-full truncate"
          disabled={isBusy.value}
          title={`A rule: equal actions${place} run without a question from now on: ${action}`}
          onClick={() => approve("always")}
        >
          Always{place}
        </button>
      )}
      <button
        type="button"
        class="press border-fail text-fail"
        disabled={isBusy.value}
        onClick={() => void answerAtOnce({ action: findAction("approvals/reject"), subject }, {}, isQuiet)}
      >
        Reject
      </button>
    </div>
  );
}
