import type { Approval } from "../../api/contract.ts";
import { now } from "../../browser/clock.ts";
import { sessionPath } from "../../browser/route.ts";
import { formatAbsolute, formatSpan } from "../../text/ago.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { Badge } from "../badge.tsx";
import { Time } from "../time.tsx";
import { AnswerButtons } from "./answer-buttons.tsx";
import { ApprovalDetail } from "./approval-detail.tsx";
import { effectTitles } from "./effect-titles.ts";

type Props = {
  readonly approval: Approval;
  /** True in the session itself, which need not be named. */
  readonly isInSession?: boolean;
};

/** A question of the agent, with all that is needed to answer it. */
export function WaitingCard({ approval, isInSession = false }: Props) {
  const { summary, detail, reason, effect, session, workspace, until, at } = approval;
  const left = Date.parse(until) - now.value;
  return (
    <div class="flex min-w-0 flex-col gap-2 border-l-2 border-warn bg-mark/60 px-3 py-2.5">
      <div class="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        <p class="min-w-0 font-medium [overflow-wrap:anywhere]">{summary}</p>
        <Badge tone="warn" title={effectTitles[effect]}>
          {effect}
        </Badge>
      </div>
      <p class="text-sm text-soft">{reason}</p>
      <ApprovalDetail detail={detail} label={`What would be done: ${summary}`} />
      <AnswerButtons approval={approval} isQuiet={isInSession} />
      <p class="flex flex-wrap gap-x-3 text-xs [overflow-wrap:anywhere] text-soft">
        <span>
          asked <Time at={at} />
        </span>
        <span title={formatAbsolute(Date.parse(until))}>
          {left > 0 ? `expires in ${formatSpan(left)}, which counts as no` : "expired"}
        </span>
        {!isInSession && session !== null && <a href={sessionPath(session)}>its session</a>}
        {!isInSession && workspace !== null && <span title={workspace}>in {workspaceName(workspace)}</span>}
      </p>
    </div>
  );
}
