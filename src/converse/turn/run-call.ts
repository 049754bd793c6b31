import { setTimeout as wait } from "node:timers/promises";
import { type Approval, leavesSandbox } from "../../domain/approval/approval.ts";
import { quoted } from "../../domain/trust/quote.ts";
import { noteCall, refuseCall } from "../../domain/turn/guardrail.ts";
import { summariseEvent } from "../../distil/report/event-summary.ts";
import { errorMessage, OldhandError } from "../../lib/errors.ts";
import { cap, oneLine } from "../../lib/text.ts";
import { contextLabel, findNamedPaths, quoteContextFiles, readNestedContext } from "../prompt/context-files.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tools/tool.ts";
import { boundInputTokens } from "../../domain/model/cost.ts";
import { sumUsage } from "./usage.ts";
import { activeEntries, type ToolCall } from "./active-entries.ts";
import type { CallPermission, RunPermission } from "./chat-parts.ts";
import type { ClosedCall } from "./entry.ts";
import type { RunningTurn } from "./turn-parts.ts";

/** The calls of one assistant message: reads together, others in order. Each ends with a result, whatever happens. */
export async function runCalls(turn: RunningTurn, calls: readonly ToolCall[], seq: number): Promise<void> {
  turn.window = await readWindow(turn);
  for (let at = 0; at < calls.length;) {
    const reads = calls.slice(at).findIndex(({ name }) => turn.tools.get(name)?.effect !== "read");
    const together = calls.slice(at, at + Math.max(1, reads < 0 ? calls.length : reads));
    const ended = await Promise.allSettled(together.map((call) => runCall(turn, call, seq)));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
    at += together.length;
  }
  await turn.host.endBatch();
}

/** A call that was checked. */
interface CheckedCall {
  readonly call: ToolCall;
  readonly tool: AgentTool;
  readonly input: unknown;
  readonly summary: string;
  readonly context: ToolContext;
}

/** Why a call does not run: `text` for the model, `forPerson` for the person if they differ. */
interface Unrun {
  readonly closed: ClosedCall | null;
  readonly text: string;
  readonly forPerson?: string | undefined;
}

const NOT_STARTED: Unrun = {
  closed: "stopped",
  text: "Not started: the person stopped the turn.",
  forPerson: "Not started: you stopped the turn.",
};
const NO_BUDGET: Unrun = { closed: "guardrail", text: "Not run: the budget of this turn is used up." };

async function runCall(turn: RunningTurn, call: ToolCall, seq: number): Promise<void> {
  const { log, host, signal, emit, ctx } = turn;
  const checked = checkCall(turn, call);
  if (signal.aborted) return close(turn, call, NOT_STARTED, summaryOf(checked, call));
  if (!("tool" in checked)) return close(turn, call, checked, summaryOf(checked, call));
  const { tool, input, summary } = checked;
  if (!turn.budget.take()) return close(turn, call, NO_BUDGET, summary);
  if (tool.isCheap) turn.budget.refund();
  const guarded = { tool: tool.name, input, effect: tool.effect, isPoller: tool.isPoller?.(input as never) === true };
  const refusal = refuseCall(turn.guardrail, guarded);
  if (refusal !== null) {
    turn.guardrail = refusal.state;
    turn.refusals++;
    return close(turn, call, { closed: "guardrail", text: refusal.text, forPerson: refusal.forPerson }, summary);
  }
  // A provider may use an id again; within the session, the number of the message makes it the only one.
  const own = { tool: tool.name, input, callId: `${seq}:${call.id}` };
  const advice = await host.beforeCall(own);
  if (advice.decision?.kind === "deny") {
    const { reason, forPerson } = advice.decision;
    await close(turn, call, { closed: "refused", text: reason, forPerson }, summary);
    return note(turn, advice.context);
  }
  const permission = await askPermission(turn, checked, advice.decision?.reason);
  if (permission.kind === "refuse") {
    const { reason, forPerson } = permission;
    await close(turn, call, { closed: "refused", text: reason, forPerson }, summary);
    return note(turn, advice.context);
  }
  emit({ kind: "tool-start", id: call.id, name: tool.name, summary, input });
  const began = ctx.clock.now();
  const { result, closed } =
    permission.kind === "fail" ? { result: permission.result, closed: null } : await runTool(turn, checked, permission);
  const ms = ctx.clock.now() - began;
  const shown = noteCall(turn.guardrail, guarded, { ok: result.ok, text: quoteResult(turn, tool.name, result) });
  turn.guardrail = shown.state;
  const { ok, exitCode = null, diff = null } = result;
  // What the guardrail adds is for the model.
  const forPerson = result.forPerson ?? (shown.isChanged ? result.text : undefined);
  const { id, name } = call;
  const ended = {
    kind: "tool",
    turn: turn.number,
    id,
    name,
    ok,
    text: shown.text,
    exitCode,
    diff,
    closed,
    ms,
  } as const;
  await log.append(forPerson === undefined ? ended : { ...ended, forPerson });
  emit({ kind: "tool-end", id, name, summary, ok, text: forPerson ?? result.text, diff, closed });
  if (closed === null) await note(turn, (await host.afterCall(own, result, ms)) ?? undefined);
  await note(turn, advice.context);
  await noteNestedContext(turn, input);
}

/** Or why the call cannot be made as it is. */
function checkCall(turn: RunningTurn, call: ToolCall): CheckedCall | Unrun {
  const tool = turn.tools.get(call.name);
  if (tool === undefined) {
    const missing = `There is no tool ${JSON.stringify(oneLine(call.name, 60))}.`;
    const text = `${missing} Your tools: ${[...turn.tools.keys()].join(", ")}.`;
    return { closed: null, text, forPerson: `${missing} The model was given the list of its tools.` };
  }
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "input"}: ${message}`);
    const what = cap(issues.join("; "), 2_000);
    return {
      closed: null,
      text: `The input does not fit ${tool.name}: ${what}. Nothing was done.`,
      forPerson: `The model called ${tool.name} with a wrong input (${what}). Nothing was done.`,
    };
  }
  const context = newToolContext(turn, call);
  return { call, tool, input: parsed.data, summary: tool.summarise(parsed.data as never), context };
}

function summaryOf(checked: CheckedCall | Unrun, { name, input }: ToolCall): string {
  return "tool" in checked ? checked.summary : summariseEvent({ kind: "call", tool: name, input, text: null });
}

function newToolContext(turn: RunningTurn, call: ToolCall): ToolContext {
  const { ctx, session, checkpoints, number, emit, signal } = turn;
  return {
    mind: ctx,
    session: session.id,
    callId: call.id,
    turn: number,
    cwd: session.cwd,
    workspace: session.workspace,
    mode: session.mode(),
    signal,
    report: (text) => emit({ kind: "tool-output", id: call.id, text }),
    notify: (text) => emit({ kind: "notice", text }),
    beforeChange: async (path) => checkpoints?.beforeChange(number, path),
    afterChange: async (path) => checkpoints?.afterChange(number, path),
    runSubAgent: (task) => turn.runSubAgent(turn, task),
  };
}

type Permission = Exclude<CallPermission, { readonly kind: "ask" }>;

/** Asks a person if that is needed, and waits. `because`: a rule wants a person's yes. */
async function askPermission(turn: RunningTurn, checked: CheckedCall, because?: string): Promise<Permission> {
  const { parts, session, emit, signal, redact } = turn;
  const { tool, input, context: tools } = checked;
  const decided = await parts.approvals.decideCall({
    tool,
    input,
    tools,
    hasPerson: session.hasPerson,
    because,
    redact,
  });
  if (decided.kind !== "ask") return decided;
  emit({ kind: "approval", approval: decided.approval });
  const approval = await parts.approvals.awaitApproval(decided.approval.id, signal);
  emit({ kind: "approval-answered", approval });
  if (approval.status === "approved") return decided.unasked ?? permitAnswered(approval);
  return approval.status === "rejected"
    ? {
        kind: "refuse",
        reason: "The person said no to this call. Do not try it another way; ask what they want instead.",
        forPerson: "You said no.",
      }
    : {
        kind: "refuse",
        reason: "Nobody answered whether this call may run, so it did not run.",
        forPerson: signal.aborted
          ? "You stopped the turn, so it did not run."
          : "It was not answered, so it did not run.",
      };
}

/** A yes for this call is to this very command; one that covers more says by its action where it holds. */
function permitAnswered(approval: Approval): Permission {
  const { reach } = approval;
  return reach === "session" || reach === "always"
    ? { kind: "run", approval: reach, leavesSandbox: leavesSandbox(approval) }
    : { kind: "run", approval: "once" };
}

/** Failures are results. Only a store that fails ends the turn. */
async function runTool(
  turn: RunningTurn,
  { tool, input, context }: CheckedCall,
  { approval, leavesSandbox: doesLeave }: RunPermission,
): Promise<{ readonly result: ToolResult; readonly closed: ClosedCall | null }> {
  const limit = AbortSignal.timeout(turn.ctx.config.policy.chat.toolSeconds * 1_000);
  const signal = AbortSignal.any([turn.signal, limit]);
  // What such a tool is given is stored, or goes to a session that does not know these secrets.
  const given = tool.effect === "internal" ? await turn.redact(input) : input;
  const running = tool
    .run({ ...context, approval, leavesSandbox: doesLeave, signal }, given as never)
    .catch((error: unknown): ToolResult => {
      if (error instanceof OldhandError && error.code.startsWith("store-")) throw error;
      return { ok: false, text: `${tool.name} failed: ${errorMessage(error)}` };
    });
  const left = await Promise.race([running, afterAbort(signal)]);
  if (left !== null) return { result: left, closed: turn.signal.aborted ? "stopped" : null };
  const explain = (why: string) => `${tool.name} was ended: ${why}. What it did until then stays.`;
  if (!turn.signal.aborted) return { result: { ok: false, text: explain("it took too long") }, closed: null };
  const [text, forPerson] = [explain("the person stopped the turn"), explain("you stopped the turn")];
  return { result: { ok: false, text, forPerson }, closed: "stopped" };
}

/** Null some time after the signal: a tool that does not end by itself is not waited for. */
function afterAbort(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    const give = () => void wait(TOOL_GRACE_MS, null, { ref: false }).then(() => resolve(null));
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
}

const TOOL_GRACE_MS = 3_000;

/** What comes from outside is marked as such; files and output of commands are in a place for data already. */
function quoteResult({ window }: RunningTurn, name: string, { text, origin = "tool" }: ToolResult): string {
  const cut = cap(text, Math.min(LONGEST_RESULT, Math.floor(fitWindow(text, window))));
  return origin === "external" ? quoted([{ label: `result of ${name}`, origin, text: cut }]) : cut;
}

/** Of the model that reads the results; null if nobody knows. */
function readWindow({ parts, session, log }: RunningTurn): Promise<number | null> {
  return parts.windowOf(session.model() ?? sumUsage(log.entries(), { window: null }).model);
}

/** A result that fills the window would end the turn: half of it is left then, and what is cut is said. */
function fitWindow(text: string, window: number | null): number {
  const tokens = window === null ? 0 : boundInputTokens(text) / 2;
  return window === null || tokens <= window * FULL ? LONGEST_RESULT : (text.length * window) / 2 / tokens;
}

const FULL = 0.8;
/** In characters. */
const LONGEST_RESULT = 100_000;

async function close(turn: RunningTurn, { id, name }: ToolCall, unrun: Unrun, summary: string): Promise<void> {
  const { log, number, emit } = turn;
  const { closed, text, forPerson } = unrun;
  const result = { ok: false, text, exitCode: null, diff: null, closed, ms: 0 } as const;
  await log.append({
    kind: "tool",
    turn: number,
    id,
    name,
    ...result,
    ...(forPerson === undefined ? {} : { forPerson }),
  });
  emit({ kind: "tool-end", id, name, summary, ok: false, text: forPerson ?? text, diff: null, closed });
}

async function note(turn: RunningTurn, text: string | undefined): Promise<void> {
  if (text !== undefined && text !== "") await turn.log.append({ kind: "note", turn: turn.number, text });
}

/** The AGENTS.md of a folder, when a call first enters it. */
async function noteNestedContext(turn: RunningTurn, input: unknown): Promise<void> {
  const { session, ctx, log } = turn;
  const characters = ctx.config.policy.chat.contextFileCharacters;
  const found = findNamedPaths(input, session.cwd).flatMap((path) =>
    readNestedContext({ workspace: session.workspace, path, characters }),
  );
  if (found.length === 0) return;
  const known = activeEntries(log.entries()).flatMap((one) =>
    one.kind === "note" || one.kind === "system" ? [one.text] : [],
  );
  const fresh = found.filter(({ name }) => !known.some((text) => text.includes(`] ${contextLabel(name)},`)));
  await note(turn, quoteContextFiles(fresh));
}
