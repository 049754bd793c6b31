import { z } from "zod";
import type { Context } from "../context.ts";
import { answerApproval } from "../converse/approvals/decide-call.ts";
import {
  BY_STOP,
  type Approval,
  approvalReaches,
  approvalStatuses,
  isOnceOnly,
  isStanding,
  statusAt,
} from "../domain/approval/approval.ts";
import { isSessionLeft } from "../converse/session/session-lease.ts";
import { describeCover } from "../domain/approval/describe-cover.ts";
import { toolEffects } from "../domain/approval/tool-effect.ts";
import { iso } from "../lib/clock.ts";
import { OldhandError } from "../lib/errors.ts";
import { defineOperation } from "../operation.ts";
import {
  getApproval,
  listApprovals,
  listStandingApprovals,
  listWaitingApprovals,
  revokeApproval,
} from "../store/chat/approvals.ts";
import { listSubSessionIds } from "../store/chat/chat-sessions.ts";
import { resolveId } from "./shared/resolve-id.ts";
import { limitInput } from "./shared/shapes.ts";

const approvalShape = z
  .object({
    id: z.string(),
    at: z.string(),
    until: z.string().describe("a question that is not answered by then counts as rejected"),
    session: z.string().nullable(),
    agent: z.string(),
    workspace: z.string().nullable(),
    action: z.string().describe("what a yes for the session or for always covers"),
    effect: z.enum(toolEffects),
    summary: z.string(),
    detail: z.string().describe("the command, the diff or the request, without secrets"),
    reason: z.string().describe("why a person must decide"),
    status: z.enum(approvalStatuses),
    reach: z.enum(approvalReaches).nullable(),
    answeredAt: z.string().nullable(),
    answeredBy: z.string().nullable(),
    usedAt: z.string().nullable(),
    isStanding: z.boolean().describe("it covers later calls"),
    isOnceOnly: z.boolean().describe("a yes to it is for this call only: an equal call asks again in any case"),
    isLeftBehind: z.boolean().describe("the process that asked has ended: it was not run, and no answer reaches it"),
  })
  .meta({ id: "Approval" });

const list = defineOperation({
  name: "approvals list",
  summary: "Actions of oldhand's own agent that wait for your answer, and earlier answers that still hold.",
  effect: "read",
  input: z.object({
    status: z.enum(approvalStatuses).optional().describe("only those with this status, such as rejected"),
    all: z.boolean().optional().describe("also those that are answered or expired, newest first"),
    session: z.string().min(1).optional().describe("only those of this session and of its sub-agents"),
    limit: limitInput(50),
  }),
  output: z.object({ approvals: z.array(approvalShape) }),
  isOwnerOnly: () => true,
  run: async (ctx, { status, all, session, limit }) => {
    const sessions = session === undefined ? undefined : [session, ...(await listSubSessionIds(ctx.db, session))];
    const found =
      status === undefined && all !== true
        ? await listOpen(ctx, { sessions, limit })
        : await listWith(ctx, status, { sessions, limit });
    const shown = await Promise.all(found.slice(0, limit).map((one) => approvalOut(ctx, one)));
    return { approvals: status === "waiting" ? shown.filter((one) => one.status === status) : shown };
  },
  render: ({ approvals }, input) =>
    approvals.length === 0 ? formatNone(input) : approvals.map(formatApproval).join("\n\n"),
});

function formatNone(input: { readonly status?: string | undefined; readonly all?: boolean | undefined } = {}): string {
  if (input.status !== undefined) return `No approval is ${input.status}.`;
  return input.all === true ? "Nothing was ever asked." : "Nothing waits for an answer.";
}

interface ApprovalRange {
  /** Undefined: all. */
  readonly sessions: readonly string[] | undefined;
  readonly limit: number;
}

/** What waits, then what still holds. */
async function listOpen({ db, clock }: Context, range: ApprovalRange): Promise<readonly Approval[]> {
  const waiting = await listWaitingApprovals(db, clock.now(), range.sessions);
  return [...waiting, ...(await listStandingApprovals(db, range))];
}

/** Without a status: all. */
async function listWith(
  { db, clock }: Context,
  status: Approval["status"] | undefined,
  { sessions, limit }: ApprovalRange,
): Promise<readonly Approval[]> {
  const now = clock.now();
  if (status === "waiting") return listWaitingApprovals(db, now, sessions);
  const statuses = status === "expired" ? (["expired", "waiting"] as const) : [status ?? approvalStatuses].flat();
  const found = await listApprovals(db, { statuses, sessions, limit: status === "expired" ? MANY : limit });
  return found.filter((one) => status === undefined || statusAt(one, now) === status);
}

const MANY = 1_000;

const id = z.string().min(1).describe("the approval's id, or the beginning of its id");

const approve = defineOperation({
  name: "approvals approve",
  summary: "Lets the agent do what it asked for: this once, for its session, or always in that workspace.",
  effect: "write",
  label: "Approve",
  input: z.object({
    id,
    reach: z.enum(approvalReaches).default("once").describe("how far the yes reaches: this call, or equal actions too"),
  }),
  positional: ["id"],
  output: approvalShape,
  isOwnerOnly: () => true,
  run: (ctx, input) => answer(ctx, input.id, { yes: true, reach: input.reach }),
  render: (approval) => `Approved${formatReach(approval)}: ${approval.summary}`,
});

const reject = defineOperation({
  name: "approvals reject",
  summary: "Refuses what the agent asked for.",
  effect: "write",
  label: "Reject",
  input: z.object({ id }),
  positional: ["id"],
  output: approvalShape,
  isOwnerOnly: () => true,
  run: (ctx, input) => answer(ctx, input.id, { yes: false }),
  render: (approval) => `Rejected: ${approval.summary}`,
});

const revoke = defineOperation({
  name: "approvals revoke",
  summary:
    "Takes back a yes for a session or for always. The agent asks again in mode ask. In edit and unattended, what can run in the sandbox still does.",
  effect: "write",
  label: "Revoke",
  input: z.object({ id }),
  positional: ["id"],
  output: approvalShape,
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const known = await resolveId(ctx.db, "approvals", input.id);
    const isRevoked = await revokeApproval(ctx.db, known);
    const approval = await getApproval(ctx.db, known);
    if (approval === null || !isRevoked)
      throw new OldhandError(
        approval === null ? "not-found" : "conflict",
        approval === null ? `there is no approval ${known}` : `${known} does not hold for later calls`,
        { hint: "oldhand approvals list shows those that do" },
      );
    return approvalOut(ctx, approval);
  },
  render: (approval) => `Revoked: ${approval.action}`,
});

export const approvalOperations = [list, approve, reject, revoke] as const;

async function answer(
  ctx: Context,
  typed: string,
  given: { readonly yes: boolean; readonly reach?: (typeof approvalReaches)[number] },
): Promise<z.input<typeof approvalShape>> {
  const known = await resolveId(ctx.db, "approvals", typed);
  const question = await getApproval(ctx.db, known);
  if (question !== null && (await isLeftBehind(ctx, question)))
    throw new OldhandError(
      "conflict",
      `nobody waits for an answer to ${known} any more: the process that asked has ended`,
      { hint: `it was not run; to go on: oldhand chat --resume ${question.session}, and the agent asks again` },
    );
  return approvalOut(ctx, await answerApproval(ctx, known, { ...given, by: ctx.actor }));
}

/** A question that waits for ever, because the process that would take the answer is gone. */
async function isLeftBehind(ctx: Context, approval: Approval): Promise<boolean> {
  const { session } = approval;
  return session !== null && statusAt(approval, ctx.clock.now()) === "waiting" && isSessionLeft(ctx, session);
}

async function approvalOut(ctx: Context, approval: Approval): Promise<z.input<typeof approvalShape>> {
  const isLeft = await isLeftBehind(ctx, approval);
  const time = (at: number | null) => (at === null ? null : iso(at));
  return {
    ...approval,
    at: iso(approval.at),
    until: iso(approval.until),
    answeredAt: time(approval.answeredAt),
    usedAt: time(approval.usedAt),
    status: isLeft ? "expired" : statusAt(approval, ctx.clock.now()),
    isStanding: isStanding(approval),
    isOnceOnly: isOnceOnly(approval),
    isLeftBehind: isLeft,
  };
}

function formatApproval(approval: z.output<typeof approvalShape>): string {
  const { id, status, summary, reason, detail, action, workspace, session, until } = approval;
  const left = approval.isLeftBehind;
  const state = left
    ? "was not run: the process that asked has ended"
    : status === "waiting"
      ? `waits until ${until}`
      : status === "expired" && approval.answeredBy === BY_STOP
        ? "was not answered: the turn was stopped"
        : `${status}${formatReach(approval)}`;
  return [
    `${id}  ${state}  ${summary}`,
    `  why: ${reason}`,
    `  covers: ${describeCover(action)}; in ${workspace ?? "every workspace"}${session === null ? "" : `; session ${session}`}`,
    ...(detail === "" ? [] : detail.split("\n").map((line) => `  | ${line}`)),
    ...(left ? [`  to go on: oldhand chat --resume ${session}`] : []),
    ...(status === "waiting" ? [`  oldhand approvals approve ${id}, or: oldhand approvals reject ${id}`] : []),
  ].join("\n");
}

function formatReach({ reach }: Pick<z.output<typeof approvalShape>, "reach">): string {
  if (reach === null) return "";
  return { once: " once", session: " for the session", always: " for always" }[reach];
}
