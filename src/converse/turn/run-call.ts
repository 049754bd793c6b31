import { setTimeout as wait } from "node:timers/promises";
import type { ApprovalReach } from "../../domain/approval/approval.ts";
import { quoted } from "../../domain/trust/quote.ts";
import { noteCall, refuseCall } from "../../domain/turn/guardrail.ts";
import { errorMessage, OldhandError } from "../../lib/errors.ts";
import { cap, oneLine } from "../../lib/text.ts";
import { contextLabel, findNamedPaths, quoteContextFiles, readNestedContext } from "../prompt/context-files.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tools/tool.ts";
import { activeEntries, type EntryOf, type ToolCall } from "./active-entries.ts";
import type { CallPermission } from "./chat-parts.ts";
import type { RunningTurn } from "./turn-parts.ts";

/** The calls of one assistant message: reads together, others in order. Each ends with a result, whatever happens. */
export async function runCalls(turn: RunningTurn, calls: readonly ToolCall[], seq: number): Promise<void> {
  for (let at = 0; at < calls.length;) {
    const reads = calls.slice(at).findIndex(({ name }) => turn.tools.get(name)?.effect !== "read");
    const together = calls.slice(at, at + Math.max(1, reads < 0 ? calls.length : reads));
    const ended = await Promise.allSettled(together.map((call) => runCall(turn, call, seq)));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
    at += together.length;
  }
}

/** A call that was checked. */
interface CheckedCall {
  readonly call: ToolCall;
  readonly tool: AgentTool;
  readonly input: unknown;
  readonly summary: string;
  readonly context: ToolContext;
}

type Closed = EntryOf<"tool">["closed"];

async function runCall(turn: RunningTurn, call: ToolCall, seq: number): Promise<void> {
  const { log, host, signal, emit, ctx } = turn;
  if (signal.aborted) return close(turn, call, "stopped", "Not started: the person stopped the turn.");
  const checked = checkCall(turn, call);
  if (typeof checked === "string") return close(turn, call, null, checked);
  const { tool, input, summary } = checked;
  if (!turn.budget.take()) return close(turn, call, "guardrail", "Not run: the budget of this turn is used up.");
  if (tool.isCheap) turn.budget.refund();
  const guarded = { tool: tool.name, input, effect: tool.effect, isPoller: tool.isPoller?.(input as never) === true };
  const refusal = refuseCall(turn.guardrail, guarded);
  if (refusal !== null) {
    turn.guardrail = refusal.state;
    turn.refusals++;
    return close(turn, call, "guardrail", refusal.text);
  }
  // A provider may use an id again; within the session, the number of the message makes it the only one.
  const own = { tool: tool.name, input, callId: `${seq}:${call.id}` };
  const advice = await host.beforeCall(own);
  if (advice.decision?.kind === "deny") {
    await close(turn, call, "refused", advice.decision.reason);
    return note(turn, advice.context);
  }
  const permission = await askPermission(turn, checked, advice.decision?.reason);
  if (permission.kind === "refuse") {
    await close(turn, call, "refused", permission.reason);
    return note(turn, advice.context);
  }
  emit({ kind: "tool-start", id: call.id, name: tool.name, summary, input });
  const began = ctx.clock.now();
  const { result, closed } = await runTool(turn, checked, permission.approval);
  const ms = ctx.clock.now() - began;
  const shown = noteCall(turn.guardrail, guarded, { ok: result.ok, text: quoteResult(tool.name, result) });
  turn.guardrail = shown.state;
  const { ok, exitCode = null, diff = null } = result;
  const { id, name } = call;
  await log.append({ kind: "tool", turn: turn.number, id, name, ok, text: shown.text, exitCode, diff, closed, ms });
  emit({ kind: "tool-end", id, name, summary, ok, text: result.text, diff });
  if (closed === null) await note(turn, (await host.afterCall(own, result, ms)) ?? undefined);
  await note(turn, advice.context);
  await noteNestedContext(turn, input);
}

/** The reason for the model if the call cannot be made as it is. */
function checkCall(turn: RunningTurn, call: ToolCall): CheckedCall | string {
  const tool = turn.tools.get(call.name);
  if (tool === undefined)
    return `There is no tool ${JSON.stringify(oneLine(call.name, 60))}. Your tools: ${[...turn.tools.keys()].join(", ")}.`;
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "input"}: ${message}`);
    return `The input does not fit ${tool.name}: ${cap(issues.join("; "), 2_000)}. Nothing was done.`;
  }
  const context = newToolContext(turn, call);
  return { call, tool, input: parsed.data, summary: tool.summarise(parsed.data as never), context };
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
  if (approval.status === "approved") return { kind: "run", approval: approval.reach ?? "once" };
  const reason =
    approval.status === "rejected"
      ? "The person said no to this call. Do not try it another way; ask what they want instead."
      : "Nobody answered whether this call may run, so it did not run.";
  return { kind: "refuse", reason };
}

/** Failures are results. Only a store that fails ends the turn. */
async function runTool(
  turn: RunningTurn,
  { tool, input, context }: CheckedCall,
  approval: ApprovalReach | null,
): Promise<{ readonly result: ToolResult; readonly closed: Closed }> {
  const limit = AbortSignal.timeout(turn.ctx.config.policy.chat.toolSeconds * 1_000);
  const signal = AbortSignal.any([turn.signal, limit]);
  // What such a tool is given is stored, or goes to a session that does not know these secrets.
  const given = tool.effect === "internal" ? await turn.redact(input) : input;
  const running = tool.run({ ...context, approval, signal }, given as never).catch((error: unknown): ToolResult => {
    if (error instanceof OldhandError && error.code.startsWith("store-")) throw error;
    return { ok: false, text: `${tool.name} failed: ${errorMessage(error)}` };
  });
  const left = await Promise.race([running, afterAbort(signal)]);
  if (left !== null) return { result: left, closed: turn.signal.aborted ? "stopped" : null };
  const why = turn.signal.aborted ? "the person stopped the turn" : "it took too long";
  return {
    result: { ok: false, text: `${tool.name} was ended: ${why}. What it did until then stays.` },
    closed: turn.signal.aborted ? "stopped" : null,
  };
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
function quoteResult(name: string, { text, origin = "tool" }: ToolResult): string {
  const cut = cap(text, LONGEST_RESULT);
  return origin === "external" ? quoted([{ label: `result of ${name}`, origin, text: cut }]) : cut;
}

const LONGEST_RESULT = 100_000;

async function close(turn: RunningTurn, { id, name }: ToolCall, closed: Closed, text: string): Promise<void> {
  const { log, number, emit } = turn;
  const result = { ok: false, text, exitCode: null, diff: null, closed, ms: 0 } as const;
  await log.append({ kind: "tool", turn: number, id, name, ...result });
  emit({ kind: "tool-end", id, name, summary: name, ok: false, text, diff: null });
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
