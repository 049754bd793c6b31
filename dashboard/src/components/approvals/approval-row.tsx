import type { Approval } from "../../api/contract.ts";
import { approvalSubject } from "../../actions/subjects.ts";
import { sessionPath } from "../../browser/route.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge, type Tone } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { Time } from "../time.tsx";
import { ApprovalDetail } from "./approval-detail.tsx";

type Props = {
  readonly approval: Approval;
  /** What names it: the action that a rule covers, or the call that was answered. */
  readonly by: "action" | "summary";
};

/** An answered or expired approval, in one line that opens. */
export function ApprovalRow({ approval, by }: Props) {
  const { status, reach, summary, action, reason, detail, session, workspace, answeredAt, answeredBy, at } = approval;
  const name = by === "action" ? action : summary;
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 py-2">
      <details class="group min-w-0 flex-1 basis-64">
        <summary class="flex items-baseline gap-2 hover:text-link">
          <Chevron />
          <span class="min-w-0 flex-1">
            <span class="line-clamp-2 [overflow-wrap:anywhere]">{name}</span>
            <span class="flex flex-wrap items-baseline gap-x-2 text-xs [overflow-wrap:anywhere] text-soft">
              <Badge tone={tones[status]}>{formatStatus(status, reach)}</Badge>
              <Time at={answeredAt ?? at} />
              {workspace !== null && <span title={workspace}>{workspaceName(workspace)}</span>}
            </span>
          </span>
        </summary>
        <div class="mt-2 ml-5 flex flex-col gap-2 text-sm">
          {by === "action" && <p class="[overflow-wrap:anywhere]">First for: {summary}</p>}
          <p class="text-soft">{reason}</p>
          <ApprovalDetail detail={detail} label={`What it was about: ${summary}`} />
          <p class="flex flex-wrap gap-x-3 text-xs text-soft">
            {answeredBy !== null && (
              <span>{answeredBy === "stop" ? "the turn was stopped" : `answered by ${answeredBy}`}</span>
            )}
            {session !== null && <a href={sessionPath(session)}>its session</a>}
            <code class="break-all">{approval.id}</code>
          </p>
        </div>
      </details>
      <ActionBar subject={approvalSubject(approval)} first={["approvals/revoke"]} only label={`Decide on: ${name}`} />
    </li>
  );
}

const tones: Readonly<Record<Approval["status"], Tone>> = {
  waiting: "warn",
  approved: "good",
  rejected: "fail",
  expired: "quiet",
  revoked: "quiet",
};

function formatStatus(status: Approval["status"], reach: Approval["reach"]): string {
  if (status !== "approved" || reach === null) return status;
  return { once: "approved once", session: "approved for the session", always: "always approved" }[reach];
}
