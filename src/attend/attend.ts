import { thisMachine } from "../config.ts";
import type { Context } from "../context.ts";
import { isOwnStopMessage } from "../domain/advice/stop-messages.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { Memory } from "../domain/memory/memory.ts";
import type { Host, Protocol } from "../observe/protocol/host.ts";
import { type Answer, isFailedCallEvent, type HookEvent } from "../observe/protocol/hook-event.ts";
import { isSelfTest } from "../observe/protocol/self-test-name.ts";
import type { EventContext } from "../observe/protocol/to-event.ts";
import { adviseBeforeCall } from "../recall/calls/before-call.ts";
import { appendEvent } from "../store/events/events.ts";
import { listActiveRules } from "../store/nouns/rules.ts";
import { type DecodedPayload, decodePayload, readDefaultReply } from "./decode-payload.ts";
import { mayHaveAnswer } from "./may-have-answer.ts";
import { mayHavePendingAdvice } from "./pending-advice.ts";

/** What the loop needs. Without an embedder it goes by words. */
export type AttendContext = Pick<Context, "config" | "db" | "clock" | "models">;

/** What a host is answered. Empty where there is nothing to say. */
export interface Reply extends Answer {
  /** The same in the host's own protocol. */
  readonly text: string;
}

const NO_REPLY: Reply = { text: "" };

/**
 * The whole way of what a host tells: store it, judge the calls that are about to run, advise, reply.
 * A process that must answer in time takes the two steps by itself: what the store does not take in time is in the plan.
 */
export async function attend(ctx: AttendContext, payload: DecodedPayload): Promise<Reply> {
  const plan = await planReply(ctx, payload);
  return plan === null ? NO_REPLY : storeAndAnswer(ctx, plan);
}

/** The same from a payload as it comes, in the host's own protocol both ways. */
export async function attendPayload(ctx: AttendContext, host: Host, payload: unknown): Promise<Reply> {
  const decoded = await decodePayload({ config: ctx.config, env: thisMachine().env }, host, payload);
  const reply = decoded === null ? NO_REPLY : await attend(ctx, decoded);
  return reply.text === "" ? { ...reply, text: await readDefaultReply(host, payload) } : reply;
}

/** What is to be done, decided before any database is opened. */
export interface ReplyPlan extends DecodedPayload {
  /** Ready for the store, and for the spool. */
  readonly toStore: readonly NewEvent[];
  /** The calls to judge: one that is about to run, or such as could not be answered in time. */
  readonly pendingCalls: readonly BeforeCall[];
}

export type BeforeCall = Extract<HookEvent, { moment: "before-call" }>;

/** Null where there is nothing to store and nothing to answer. */
export async function planReply(
  ctx: Pick<Context, "config" | "clock">,
  payload: DecodedPayload,
): Promise<ReplyPlan | null> {
  const { workspace } = payload;
  const events = payload.events.filter((one) => !isOurOwnReason(one));
  const pendingCalls = events.filter((one) => one.moment === "before-call");
  const lasting = events.filter(isStored);
  const at = ctx.clock.now();
  const toStore =
    lasting.length === 0 ? [] : await toEvents(lasting, { policy: ctx.config.policy.observe, workspace, at });
  const isNothing = toStore.length === 0 && pendingCalls.length === 0 && !events.some((one) => one.only === "heard");
  return isNothing ? null : { ...payload, events, toStore, pendingCalls };
}

/** A call that is about to run leaves nothing to store. */
function isStored(event: HookEvent): boolean {
  return event.moment !== "before-call" && event.only !== "heard";
}

/** Some hosts hand our reason to go on back to us, as if a person had typed it. */
function isOurOwnReason(event: HookEvent): boolean {
  return event.moment === "prompt" && isOwnStopMessage(event.prompt);
}

/** Redaction's tables are loaded only where something is stored: a call that is only judged has no use for them. */
async function toEvents(events: readonly HookEvent[], around: EventContext): Promise<readonly NewEvent[]> {
  const { toEvent } = await import("../observe/protocol/to-event.ts");
  return events.flatMap((one) => toEvent(one, around) ?? []);
}

/** Stores what happened, then answers it. */
export async function storeAndAnswer(ctx: AttendContext, plan: ReplyPlan): Promise<Reply> {
  const { db } = ctx;
  if (plan.events.some((one) => isSelfTest(one.session))) {
    await (await import("../observe/protocol/self-test-arrival.ts")).recordSelfTestArrival(ctx, plan.toStore);
    return NO_REPLY;
  }
  // First, so that what happened before comes before.
  for (const one of plan.events) await plan.protocol.readNewTranscriptLines?.(ctx, one);
  for (const event of plan.toStore) await appendEvent(db, event);
  const { contexts, decision } = await judgePendingCalls(ctx, plan);
  const kept = plan.toStore.some(({ kind }) => kind === "prompt")
    ? await (await import("./store-typed-memories.ts")).storeTypedMemories(ctx, plan)
    : [];
  const advised = await adviseOnEvents(ctx, plan, kept);
  // Last: a call is no part of its own past.
  const telling = plan.toStore.filter(({ error }) => mayHaveAnswer(error));
  if (telling.length > 0) await (await import("../record/facts.ts")).storeFacts(ctx, telling);
  const person = await findPersonLine(ctx, plan);
  const [answered] = [...plan.pendingCalls, ...advised.map((one) => one.event), ...(person ? [person.event] : [])];
  const texts = [...contexts, ...advised.map((one) => one.text)];
  if (answered === undefined || (texts.length === 0 && decision === undefined && person === null)) return NO_REPLY;
  const answer: Answer = {
    ...(texts.length === 0 ? {} : { context: texts.join("\n") }),
    ...(person === null ? {} : { forPerson: person.text }),
    ...(decision === undefined ? {} : { decision }),
  };
  return { ...answer, text: plan.protocol.encode(answered, answer) };
}

/** What was learned, for the person at a host that shows it. */
async function findPersonLine(ctx: AttendContext, plan: ReplyPlan): Promise<EventAdvice | null> {
  const mayTell = plan.events.some((one) => plan.protocol.personMoments?.includes(one.moment));
  return mayTell ? (await import("./person-line.ts")).takePersonLine(ctx, plan) : null;
}

/** What rules say to calls that are about to run, and decide about them. */
async function judgePendingCalls(
  ctx: AttendContext,
  plan: ReplyPlan,
): Promise<{ readonly contexts: readonly string[]; readonly decision: Answer["decision"] }> {
  const contexts: string[] = [];
  let decision: Answer["decision"];
  for (const event of plan.pendingCalls) {
    const { session, tool, input, takes, cwd, agent } = event;
    const control = { ...plan.protocol.calls, ...(event.asks === undefined ? {} : { asks: event.asks }) };
    const uid = event.callId ?? findEndedCallUid(plan, event);
    const call = { host: plan.host, session, workspace: plan.workspace, cwd, tool, input, agent, uid };
    const advice = await adviseBeforeCall(ctx, call, { takes: takes ?? "both", control });
    if (advice === null) continue;
    if (advice.context !== null) contexts.push(advice.context);
    // Of several calls in one payload, a question about one must not hide that another is forbidden.
    if (advice.decision !== null && decision?.kind !== "deny") decision = advice.decision;
    if (advice.decision?.kind === "deny")
      await (await loadUnstoredCall()).storeDeniedCall(ctx, plan, event, advice.decision.reason);
  }
  return { contexts, decision };
}

/** Loaded where a call was stopped or comes from elsewhere, which is rare. */
function loadUnstoredCall() {
  return import("./unstored-call.ts");
}

/** Of a call that is judged with its result, and that its host has no name for: the one under which the result was stored. */
function findEndedCallUid({ events, toStore }: ReplyPlan, { tool, input }: BeforeCall): string | null {
  const at = events
    .filter(isStored)
    .findIndex((one) => one.moment === "after-call" && one.tool === tool && one.input === input);
  return toStore[at]?.uid ?? null;
}

interface EventAdvice {
  readonly event: HookEvent;
  readonly text: string;
}

/** What is said at all other moments. A call that went well has none, so nothing is loaded for it. */
async function adviseOnEvents(
  ctx: AttendContext,
  plan: ReplyPlan,
  kept: readonly Memory[],
): Promise<readonly EventAdvice[]> {
  const { host, workspace, protocol, toStore } = plan;
  const due = plan.events.filter((event) => isAdvised(event, protocol));
  if (due.length === 0) return [];
  // A failure only calls up rules and answers. Where there are none, a call that failed costs what one that went well does.
  const onlyFailures =
    due.every((event) => event.moment === "after-call") && !mayHavePendingAdvice(protocol.contextLimits);
  const inPlay = onlyFailures ? await listActiveRules(ctx.db, workspace) : undefined;
  if (inPlay?.length === 0 && !due.some((event) => mayBeAnswered(ctx, event))) return [];
  const { advise } = await import("./advise.ts");
  const stored = plan.events.filter(isStored);
  const advised: EventAdvice[] = [];
  for (const event of due) {
    const call =
      event.moment === "after-call"
        ? (toStore[stored.indexOf(event)] ?? (await (await loadUnstoredCall()).toStoredCall(ctx, plan, event)))
        : null;
    const text = await advise(ctx, event, {
      host,
      workspace,
      contextLimits: protocol.contextLimits,
      call,
      inPlay,
      kept,
    });
    if (text !== "") advised.push({ event, text });
  }
  return advised;
}

function mayBeAnswered({ config }: AttendContext, event: HookEvent): boolean {
  return event.moment === "after-call" && config.policy.recall.answerFailures && mayHaveAnswer(event.text);
}

function isAdvised(event: HookEvent, { contextLimits }: Protocol): boolean {
  if (event.only === "stored") return false;
  if (event.moment !== "before-call" && event.moment !== "after-call") return true;
  if (!contextLimits[event.moment] || (event.moment === "before-call" && event.takes === "decision")) return false;
  return isFailedCallEvent(event) || mayHavePendingAdvice(contextLimits);
}
