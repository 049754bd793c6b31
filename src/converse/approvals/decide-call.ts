import type { Context } from "../../context.ts";
import { type Actor, formatActor, isOwner } from "../../domain/actor.ts";
import {
  BY_STOP,
  type Approval,
  type ApprovalReach,
  isOnceOnly,
  markOnceOnly,
  markOutside,
  statusAt,
} from "../../domain/approval/approval.ts";
import {
  type Action,
  type ActionSituation,
  type ActionVerdict,
  decideAction,
  type RefusalTexts,
  requireYes,
  type StandingOutside,
  type StandingReach,
} from "../../domain/approval/decide-action.ts";
import { showControls } from "../../domain/approval/show-controls.ts";
import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import { redact } from "../../domain/redact/redact.ts";
import { MINUTE } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { hashId, newId } from "../../lib/ids.ts";
import { isRecord } from "../../lib/json.ts";
import { cap, oneLine, storable } from "../../lib/text.ts";
import {
  type EqualAction,
  expireApproval,
  findApprovalState,
  findStandingApproval,
  getApproval,
  insertApproval,
  storeAnswer,
  useApproval,
} from "../../store/chat/approvals.ts";
import { findChangedSteering } from "./find-changed-steering.ts";
import { keepSteeringContents, readSteeringContents } from "./steering-contents.ts";
import { readShellFolder } from "../tools/shell/shell-folder.ts";
import { findSandbox } from "../tools/shell/find-sandbox.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tools/tool.ts";

type ApprovalContext = Pick<Context, "db" | "config" | "clock">;

export interface PlannedCall {
  readonly tool: AgentTool;
  /** As the tool's schema has parsed it. */
  readonly input: unknown;
  readonly tools: ToolContext;
  readonly hasPerson: boolean;
  /** A rule wants a person's yes, whatever the mode allows: the reason. */
  readonly because?: string | undefined;
  /** For what is stored about the call: it knows secrets that their form does not show. */
  readonly redact?: (<T>(value: T) => Promise<T>) | undefined;
}

export type CallDecision =
  /** `approval` is for `ToolContext.approval`: the earlier yes that covers the call, or null if it needs none. */
  | AllowedCall
  /** `reason` is for the model, `forPerson` for the person. */
  | { readonly kind: "refuse"; readonly reason: string; readonly forPerson: string }
  /** It cannot work, so nobody is asked: its result. */
  | { readonly kind: "fail"; readonly result: ToolResult }
  /** `unasked`: only a rule asks, and this is how the call runs without the rule; a yes allows no more. */
  | { readonly kind: "ask"; readonly approval: Approval; readonly unasked?: AllowedCall | undefined };

interface AllowedCall extends Pick<ToolContext, "leavesSandbox"> {
  readonly kind: "run";
  readonly approval: ApprovalReach | null;
}

/** Decides about one call of oldhand's own agent. A question and a refusal are recorded. */
export async function decideToolCall(ctx: ApprovalContext, call: PlannedCall): Promise<CallDecision> {
  const { tool, tools, hasPerson, redact: hide = async (value) => value } = call;
  const input = tool.input.parse(call.input);
  const action: Action = { effect: tool.effect, ...insideWorkspace, ...(await tool.examine?.(tools, input)) };
  const described = describePlaced(tool.describeAction(input), action);
  const name = nameAction(described, clean(await hide(described)));
  const findStanding = (equal: string, prefer: EqualAction["prefer"]) =>
    findStandingApproval(ctx.db, {
      ...{ action: equal, effect: action.effect, agent: AGENT_HOST, prefer },
      ...{ session: tools.session, workspace: tools.workspace },
    });
  const standing = await findStanding(name, "widest");
  const outside = action.effect === "execute" ? await findStanding(markOutside(name), "newest") : null;
  const situation: ActionSituation = {
    mode: tools.mode,
    hasPerson,
    hasSandbox: action.effect === "execute" && (tools.sandbox ?? (await findSandboxUnlessNull(tools))) !== null,
    sandboxHasNetwork: ctx.config.policy.chat.sandboxNetwork,
    standing: reachOf(standing),
    standingOutside: outside === null ? null : await findStandingOutside(ctx, call, outside),
  };
  const decided = decideAction(action, situation);
  const unasked = decided.kind === "run" ? allowCall(decided, { standing, outside }) : undefined;
  const verdict = requireYes(decided, situation, call.because);
  if (verdict.kind === "run") return allowCall(verdict, { standing, outside });
  // Where nobody can be asked, too: a yes, or another mode, would not make it work. A mode that only reads says so first.
  if (action.place === "inside" && action.refusal === undefined && tools.mode !== "read-only") {
    const result = (await tool.checkAhead?.(tools, input)) ?? null;
    if (result !== null) return { kind: "fail", result };
  }
  const detail = clean(await hide((await tool.preview?.(tools, input)) ?? ""));
  const refusal = verdict.kind === "refuse" ? verdict : detail.length > LONGEST_QUESTION ? TOO_LONG : null;
  const now = ctx.clock.now();
  const question: Approval = {
    id: newId("ap", now),
    at: now,
    until: now + ctx.config.policy.chat.approvalMinutes * MINUTE,
    session: tools.session,
    agent: AGENT_HOST,
    workspace: tools.workspace,
    action: markAction(name, verdict),
    effect: action.effect,
    summary: oneLine(clean(await hide(tool.summarise(input))), LONGEST_SUMMARY),
    detail: refusal === null ? detail : cap(detail, LONGEST_RECORD),
    reason: clean((refusal ?? verdict).reason),
    ...{ status: "waiting", reach: null, answeredAt: null, answeredBy: null, usedAt: null },
  };
  if (refusal === null) {
    await insertApproval(ctx.db, question);
    if (verdict.kind === "ask" && verdict.isOutside === true)
      await keepSteeringContents(ctx, question.id, await placeCommand(call));
    return { kind: "ask", approval: question, ...(unasked === undefined ? {} : { unasked }) };
  }
  await insertApproval(ctx.db, { ...question, status: "rejected", answeredAt: now, answeredBy: `mode ${tools.mode}` });
  const { reason, remedy, help } = refusal;
  return { kind: "refuse", reason: `${reason} ${remedy}`, forPerson: `${reason} ${help}` };
}

function allowCall(
  { because, isOutside }: Extract<ActionVerdict, { kind: "run" }>,
  { standing, outside }: Readonly<Record<"standing" | "outside", Approval | null>>,
): AllowedCall {
  if (because === "free") return { kind: "run", approval: null };
  return isOutside === true
    ? { kind: "run", approval: reachOf(outside), leavesSandbox: true }
    : { kind: "run", approval: reachOf(standing) };
}

function reachOf(approval: Approval | null): StandingReach | null {
  const reach = approval?.reach;
  return reach === "session" || reach === "always" ? reach : null;
}

async function findStandingOutside(
  ctx: Pick<Context, "db" | "clock">,
  call: PlannedCall,
  approval: Approval,
): Promise<StandingOutside | null> {
  const reach = reachOf(approval);
  if (reach === null) return null;
  const placed = await placeCommand(call);
  const isSame = await readSteeringContents(ctx, approval.id, placed.workspace);
  // What was changed while the person was asked is not what the person saw.
  return { reach, changed: await findChangedSteering(ctx, { ...placed, since: approval.at, isSame }) };
}

async function placeCommand({ input, tools }: PlannedCall) {
  const command = isRecord(input) && typeof input["command"] === "string" ? input["command"] : "";
  return { workspace: tools.workspace, cwd: await readShellFolder(tools), command };
}

function markAction(name: string, verdict: Exclude<ActionVerdict, { kind: "run" }>): string {
  if (verdict.kind === "refuse") return name;
  if (verdict.isOnceOnly === true) return markOnceOnly(name);
  return verdict.isOutside === true ? markOutside(name) : name;
}

const insideWorkspace = { place: "inside", target: "the workspace" } as const;
const LONGEST_SUMMARY = 300;
/** A person sees all of what a yes is for: nothing is cut from a question. Above this, nobody is asked. */
const LONGEST_QUESTION = 4_000_000;
const TOO_LONG: RefusalTexts = {
  reason: "It is too long to be shown as a whole, so nobody is asked about it.",
  remedy: "Do it in smaller steps.",
  help: "The model can do it in smaller steps.",
};
/** Of what was refused without a question. */
const LONGEST_RECORD = 20_000;
const LONGEST_ACTION = 2_000;

async function findSandboxUnlessNull({ sandbox }: ToolContext) {
  return sandbox === null ? null : findSandbox();
}

/** A yes to ordinary files does not cover protected ones; each of those is an action of its own. */
function describePlaced(described: string, { place, target }: Action): string {
  return place === "inside" ? described : `${described} (${place}: ${target})`;
}

function nameAction(name: string, cleaned: string): string {
  // What is cut or redacted still counts when actions are compared.
  return cleaned === name && name.length <= LONGEST_ACTION
    ? name
    : `${oneLine(cleaned, LONGEST_ACTION / 2)} ${hashId("h", name)}`;
}

function clean(text: string): string {
  return storable(showControls(redact(text)));
}

/**
 * Waits until the approval is answered, by whichever process, or expires, which counts as no. If `signal` aborts, nobody
 * waits any more, and it expires at once.
 */
export async function awaitApproval(
  ctx: Pick<Context, "db" | "clock">,
  id: string,
  signal: AbortSignal,
): Promise<Approval> {
  for (;;) {
    const state = await findApprovalState(ctx.db, id);
    if (state?.status === "approved") {
      const isFirst = await useApproval(ctx.db, id, ctx.clock.now());
      const approval = await requireApproval(ctx, id);
      return isFirst ? approval : { ...approval, status: "expired" };
    }
    if (state?.status !== "waiting") return requireApproval(ctx, id);
    if (signal.aborted || statusAt(state, ctx.clock.now()) === "expired") {
      await expireApproval(ctx.db, id, signal.aborted ? BY_STOP : null);
      continue;
    }
    await pause(signal);
  }
}

const POLL_MS = 200;

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, POLL_MS);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Only the owner answers. Refused if it was answered before, or is expired. */
export async function answerApproval(
  ctx: Pick<Context, "db" | "clock">,
  id: string,
  {
    yes,
    reach = "once",
    by,
  }: { readonly yes: boolean; readonly reach?: ApprovalReach | undefined; readonly by: Actor },
): Promise<Approval> {
  if (!isOwner(by))
    throw new OldhandError("refused", `only the owner answers approvals, not ${formatActor(by)}`, {
      hint: "nothing was approved",
    });
  const now = ctx.clock.now();
  if (yes && reach !== "once" && isOnceOnly(await requireApproval(ctx, id)))
    throw new OldhandError("refused", "this yes can be for this call only: an equal call asks again in any case", {
      hint: `oldhand approvals approve ${id}`,
    });
  const answer = {
    status: yes ? "approved" : "rejected",
    reach: yes ? reach : null,
    by: formatActor(by),
    now,
  } as const;
  const isStored = await storeAnswer(ctx.db, id, answer);
  const approval = await requireApproval(ctx, id);
  if (isStored) return approval;
  throw new OldhandError("conflict", `${id} is ${statusAt(approval, now)} and cannot be answered`, {
    hint: "oldhand approvals list shows what waits",
  });
}

async function requireApproval({ db }: Pick<Context, "db">, id: string): Promise<Approval> {
  const approval = await getApproval(db, id);
  if (approval !== null) return approval;
  throw new OldhandError("not-found", `there is no approval ${id}`, {
    hint: "oldhand approvals list shows what waits",
  });
}
