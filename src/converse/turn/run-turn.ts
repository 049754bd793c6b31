import { oneLine } from "../../lib/text.ts";
import { estimateContextWindow, estimateTokens } from "../../domain/advice/context-window.ts";
import { describeWideWorkspace } from "../../domain/approval/protected-paths.ts";
import { explainCapHitWithCommand } from "../../domain/model/caps.ts";
import { describeWait } from "../../domain/model/describe-wait.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { newGuardrail } from "../../domain/turn/guardrail.ts";
import { hashText } from "../../lib/hash.ts";
import { plural } from "../../lib/text.ts";
import type { ChatMessage } from "../../models/chat/chat.ts";
import { explainUnanswered } from "../../models/gateway/explain-unanswered.ts";
import type { GatewayAnswer, GatewayRequest } from "../../models/gateway/gateway.ts";
import { listInbox, markTaken } from "../../store/chat/chat-inbox.ts";
import { composeSystemPrompt, formatDate } from "../prompt/compose-system-prompt.ts";
import { explainBlocked } from "../prompt/context-files.ts";
import { readPromptText } from "../prompt/read-prompt-text.ts";
import { findUserHome } from "../tools/own-paths.ts";
import { toolCallsOf, currentSystem, lastTurn, textOf, toSendable } from "./active-entries.ts";
import type { CompactionState } from "./chat-parts.ts";
import { composeRequest } from "./compose-request.ts";
import { runCalls } from "./run-call.ts";
import { noteSecrets, tellOfSecrets } from "./tell-of-secrets.ts";
import { endEmpty, noteCutAnswer } from "./short-answer.ts";
import type { RunningTurn, TurnEnd, TurnParts } from "./turn-parts.ts";
import { hasUsed, spentOn, sumUsage } from "./usage.ts";

export interface TurnMessage {
  readonly text: string;
  /** Its id there, if it waited in the inbox. */
  readonly inbox: string | null;
}

/** One turn, from the person's message to the model's last answer. Every step is stored before the next one begins. */
export async function runTurn(parts: TurnParts, message: TurnMessage): Promise<TurnEnd> {
  const turn = await beginTurn(parts, message);
  for (;;) {
    if (turn.signal.aborted) return STOPPED;
    await takeSteering(turn);
    const isLast = !turn.budget.take() || turn.refusals >= MOST_REFUSALS;
    if (isLast) await turn.log.append({ kind: "note", turn: turn.number, text: readPromptText("grace") });
    const end = await step(turn, isLast);
    if (end !== null) return end;
  }
}

const STOPPED: TurnEnd = { reason: "stopped", message: null };

/** After so many calls that the guardrail refused, the model does not get out of its loop by itself. */
const MOST_REFUSALS = 5;

async function beginTurn(parts: TurnParts, { text, inbox }: TurnMessage): Promise<RunningTurn> {
  const { log, host, emit, ctx } = parts;
  const before = log.entries().at(-1);
  const number = lastTurn(log.entries()) + 1;
  const { seq, at } = await log.append({ kind: "user", turn: number, text, inbox });
  if (inbox !== null) await markTaken(ctx.db, inbox, at);
  emit({ kind: "turn-start", turn: number });
  const turn = await newRunningTurn(parts, number);
  await noteSecrets(turn, text);
  const today = formatDate(ctx.clock.now());
  if (before !== undefined && formatDate(before.at) !== today) await addNote(turn, today);
  await addNote(turn, await host.prompt(text, String(seq)));
  return turn;
}

export async function newRunningTurn(parts: TurnParts, number: number): Promise<RunningTurn> {
  const turn: RunningTurn = {
    ...parts,
    number,
    tools: new Map(),
    guardrail: newGuardrail,
    refusals: 0,
    instead: null,
    secrets: null,
    window: null,
  };
  await freezePrompt(turn);
  return turn;
}

/** The system prompt and the tools stay as they are until the next compaction. */
async function freezePrompt(turn: RunningTurn): Promise<void> {
  const { ctx, parts, session, log, emit } = turn;
  const offered = await parts.tools({ workspace: session.workspace, mode: session.mode() });
  const frozen = currentSystem(log.entries());
  const tools = frozen === null ? offered : offered.filter(({ name }) => frozen.tools.includes(name));
  turn.tools = new Map(tools.map((tool) => [tool.name, tool]));
  if (frozen !== null) return;
  await turn.host.start(log.entries().some(({ kind }) => kind === "system") ? "compact" : "startup");
  const names = [...turn.tools.keys()];
  const { text, blocked } = await composeSystemPrompt(ctx, {
    id: session.parent ?? session.id,
    agent: session.parent === null ? null : session.id,
    cwd: session.cwd,
    workspace: session.workspace,
    project: session.project,
    model: session.model(),
    tools: names,
  });
  await log.append({ kind: "system", text, hash: hashText(text), tools: names });
  const wide = describeWideWorkspace({ workspace: session.workspace, userHome: findUserHome() });
  if (wide !== null && session.parent === null)
    emit({
      kind: "notice",
      text: `The workspace is ${wide}: the agent works with all files there. To give it less, start oldhand in the folder of a project.`,
    });
  for (const file of blocked) emit({ kind: "notice", text: explainBlocked(file) });
}

/** Messages that were typed meanwhile. Each is stored as an entry, then marked as taken, then acknowledged. */
async function takeSteering(turn: RunningTurn): Promise<void> {
  const { ctx, session, log, emit, number, typed } = turn;
  const waiting = (await listInbox(ctx.db, session.id)).filter(({ kind }) => kind === "steer");
  for (const { id, text: stored } of waiting) {
    const text = typed.get(id) ?? stored;
    const known = log.entries().some((one) => one.kind === "user" && one.inbox === id);
    if (!known) {
      const { seq } = await log.append({ kind: "user", turn: number, text, inbox: id, isSteered: true });
      await noteSecrets(turn, text);
      await addNote(turn, await turn.host.prompt(text, String(seq)));
    }
    const at = ctx.clock.now();
    await markTaken(ctx.db, id, at);
    emit({ kind: "steered", id, text, at });
  }
}

/** One model call with the tool calls that it leads to. Null: the turn goes on. */
async function step(turn: RunningTurn, isLast: boolean): Promise<TurnEnd | null> {
  const { log, host, signal, number } = turn;
  const full = await compactIf(turn, isLast, "preflight");
  if (full !== null) return full;
  const { answer, finish, restarts } = await hear(turn, nextRequest(turn, isLast));
  const { call, usage, cost } = answer;
  const model = formatModelRef(answer.model);
  const isAnswered = answer.outcome === "ok" && answer.message !== null;
  if (!isAnswered && answer.outcome !== "aborted") return endUnanswered(turn, answer, isLast);
  // What the person has read already stays, also if the model was stopped in the middle.
  const said: ChatMessage = answer.message ?? { role: "assistant", parts: [{ kind: "text", text: answer.text }] };
  const message = toSendable(isLast ? withoutCalls(said) : said);
  const context = answer.healed ? answer.lastUsage.in + answer.lastUsage.out : undefined;
  const details = { kind: "assistant", turn: number, message, call, model, usage, cost, finish } as const;
  const entry = await log.append(context === undefined ? details : { ...details, context });
  await reportUsage(turn, model);
  await host.answer(textOf(message), call, model);
  if (!isAnswered) {
    if (message.parts.length > 0) await addNote(turn, CUT_BY_PERSON);
    return STOPPED;
  }
  const healed = explainHealed(answer, restarts);
  if (healed !== null) turn.emit({ kind: "notice", text: healed });
  const calls = toolCallsOf(message);
  if (calls.length > 0) await runCalls(turn, calls, entry.seq);
  if (signal.aborted) return STOPPED;
  if (calls.length > 0) return null;
  if (finish === "length") await noteCutAnswer(turn, answer.lastUsage.out);
  if (!isLast && textOf(message).trim() === "") return endEmpty(turn, model);
  await host.stop(textOf(message));
  return isLast ? { reason: "budget", message: explainBudget(turn) } : { reason: "done", message: null };
}

/** Otherwise the model takes its own half sentence for all that it had to say. */
const CUT_BY_PERSON = "The person stopped you in the middle of this answer. What comes after it was not said.";

/**
 * That the same model was tried again. That another one answered was shown before its answer, and so was each of the
 * `restarts`.
 */
function explainHealed({ healed, failures, model }: GatewayAnswer, restarts: number): string | null {
  const isOther = failures.some((one) => formatModelRef(one.model) !== formatModelRef(model));
  const last = failures.at(-1);
  const unsaid = failures.length - restarts;
  if (!healed || isOther || last === undefined || unsaid <= 0) return null;
  return `(It was tried again after ${plural(unsaid, "failed attempt")}: ${describeWait(last.failure)}.)`;
}

/** Streams the answer to the person. */
async function hear(
  turn: RunningTurn,
  request: GatewayRequest,
): Promise<{ readonly answer: GatewayAnswer; readonly finish: string; readonly restarts: number }> {
  const { parts, emit } = turn;
  let finish = "none";
  let restarts = 0;
  for await (const event of parts.gateway.stream(request)) {
    if (event.kind === "attempt") tellOfSecrets(turn, event.model);
    if (event.kind === "end") tellOfSecrets(turn, null);
    if (event.kind === "text" || event.kind === "reasoning") emit({ kind: event.kind, text: event.text });
    if (event.kind === "wait" && event.ms >= SHORTEST_WAIT_MS)
      emit({ kind: "wait", provider: event.model.provider, ms: event.ms, why: describeWait(event.failure) });
    if (event.kind === "restart") {
      restarts++;
      const [from, to] = [formatModelRef(event.from), formatModelRef(event.to)];
      emit({ kind: "restart", from, to, why: event.failure.message });
    }
    if (event.kind === "instead" && turn.instead !== formatModelRef(event.model)) {
      turn.instead = formatModelRef(event.model);
      emit({ kind: "notice", text: event.text });
    }
    if (event.kind === "finish") finish = event.reason;
    if (event.kind === "end") return { answer: event.answer, finish, restarts };
  }
  throw new Error("a call ended without an answer");
}

/** Nobody notices a shorter one. */
const SHORTEST_WAIT_MS = 500;

function nextRequest(turn: RunningTurn, isLast: boolean): GatewayRequest {
  const { session, log, ctx, signal } = turn;
  return composeRequest({
    session: session.id,
    isSubAgent: session.parent !== null,
    entries: log.entries(),
    tools: [...turn.tools.values()],
    model: session.model(),
    mayUseOthers: session.mayUseOthers,
    maxTokens: ctx.config.policy.chat.answerTokens,
    isLast,
    signal,
  });
}

/** No answer: the turn ends, unless the context was too long and could be made shorter. */
async function endUnanswered(turn: RunningTurn, answer: GatewayAnswer, isLast: boolean): Promise<TurnEnd | null> {
  turn.budget.refund();
  const { cap, failure } = answer;
  if (hasUsed(answer)) {
    turn.aside.push(spentOn(answer));
    await reportUsage(turn, formatModelRef(answer.model));
  }
  if (cap !== null) return { reason: "capped", message: explainCapHitWithCommand(cap, "\n"), code: "capped" };
  if (failure?.kind === "too-long" && turn.parts.compaction !== null) {
    const before = turn.log.entries().length;
    const end = await compactIf(turn, isLast, "too-long");
    const small = end === null ? null : await explainSmallServer(turn, answer, isLast);
    if (small !== null) return small;
    if (end !== null || turn.log.entries().length > before) return end;
  }
  const { code, message, hint } = explainUnanswered(answer, turn.session.surface);
  return { reason: "failed", message: `${message}. What to do: ${hint}.`, code };
}

/** The prompt is far smaller than the window that is known: the server holds less, and a new session would not help. */
async function explainSmallServer(turn: RunningTurn, answer: GatewayAnswer, isLast: boolean): Promise<TurnEnd | null> {
  const tokens = countTokens(nextRequest(turn, isLast));
  const window = await findWindow(turn, formatModelRef(answer.model), tokens);
  if (tokens > window / 2) return null;
  const said = oneLine(answer.failure?.message ?? "", 300);
  return {
    reason: "failed",
    code: explainUnanswered(answer, turn.session.surface).code,
    message: `${formatModelRef(answer.model)} refused the prompt as too long: about ${tokens.toLocaleString("en-US")} tokens were sent. The server says: ${said} What to do: raise the context length of the server, set \`context\` for the model in the price file, or choose another model.`,
  };
}

/** Makes room if there is none left, or if it is wanted. */
export async function compactIf(
  turn: RunningTurn,
  isLast: boolean,
  why: CompactionState["why"],
): Promise<TurnEnd | null> {
  const { parts, session, log, emit } = turn;
  if (parts.compaction === null) return null;
  const request = nextRequest(turn, isLast);
  const model = session.model() ?? sumUsage(log.entries(), { window: null }).model;
  const tokens = countTokens(request);
  const window = await findWindow(turn, model, tokens);
  const state = { session: session.id, entries: log.entries(), request, tokens, window, why };
  if (why === "preflight" && !parts.compaction.isDue(state)) return null;
  const made = await parts.compaction.compact(state);
  if (made.kind !== "compacted" && made.spent !== undefined) turn.aside.push(made.spent);
  if (made.kind === "handoff") return { reason: "handoff", message: made.message };
  if (made.kind === "nothing") return null;
  await log.append(made.entry);
  turn.guardrail = newGuardrail;
  const { tokensBefore, tokensAfter } = made.entry;
  emit({ kind: "compacted", tokensBefore, tokensAfter });
  if (model !== null) await reportUsage(turn, model);
  await freezePrompt(turn);
  return null;
}

/** Of the session's model. If nobody named it, another one may take what it does not hold. */
async function findWindow({ parts, session }: RunningTurn, model: string | null, tokens: number): Promise<number> {
  const own = model === null ? null : ((await parts.windowOf(model)) ?? estimateContextWindow(model));
  if (own !== null && (session.model() !== null || tokens <= own)) return own;
  return Math.max(own ?? 0, (await parts.windowOf(null)) ?? 0) || estimateContextWindow(null);
}

function countTokens({ chat }: GatewayRequest): number {
  // Only its length counts, so its keys need no order.
  return estimateTokens(JSON.stringify([chat.system, chat.messages, chat.tools ?? []]));
}

async function reportUsage({ parts, log, aside, emit }: RunningTurn, model: string): Promise<void> {
  emit({ kind: "usage", usage: sumUsage(log.entries(), { window: await parts.windowOf(model), aside }) });
}

async function addNote({ log, number }: RunningTurn, text: string | null): Promise<void> {
  if (text !== null && text !== "") await log.append({ kind: "note", turn: number, text });
}

function withoutCalls(message: ChatMessage): ChatMessage {
  return { ...message, parts: message.parts.filter(({ kind }) => kind !== "tool-call") };
}

function explainBudget({ budget, refusals }: RunningTurn): string {
  return refusals >= MOST_REFUSALS
    ? "The agent kept repeating calls that were refused, so its turn was ended."
    : `The turn used its ${budget.limit} steps. Write on to continue, or raise it: oldhand config set chat.iterations ${budget.limit * 2}`;
}
