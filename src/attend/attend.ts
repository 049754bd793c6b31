import { thisMachine } from "../config.ts";
import type { Context } from "../context.ts";
import { isOwnStopMessage } from "../domain/advice/stop-messages.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { Memory } from "../domain/memory/memory.ts";
import type { Host, Protocol } from "../observe/protocol/host.ts";
import { type Reply, isFailedCallEvent, type HookEvent } from "../observe/protocol/hook-event.ts";
import { isSelfTest } from "../observe/protocol/self-test-name.ts";
import type { EventContext } from "../observe/protocol/to-event.ts";
import {
  adviseBeforeCall,
  type CallContext,
  type PendingCall,
  type ReplyCapability,
} from "../recall/calls/before-call.ts";
import { appendEvent } from "../store/events/events.ts";
import { type ActiveListing, listActiveRules } from "../store/nouns/rules.ts";
import { type DecodedPayload, decodePayload, readDefaultReply } from "./decode-payload.ts";
import { mayHaveAnswer, mayHideFailedCall } from "./may-have-answer.ts";
import { mayHavePendingAdvice } from "./pending-advice.ts";

/** What attending to an event needs. Without an embedder, memories are found by words only. */
export type AttendContext = Pick<Context, "config" | "db" | "clock" | "models"> & Pick<CallContext, "onListed">;

/** The reply to a host. Empty if there is nothing to say. */
export interface EncodedReply extends Reply {
  /** The reply in the host's own protocol. */
  readonly text: string;
}

const NO_REPLY: EncodedReply = { text: "" };

/**
 * Handles one payload: stores its events, judges pending calls, advises, replies.
 * A process with a time limit calls `planReply` and `storeAndReply` itself, so that it can spool `plan.toStore` if the
 * store is too slow.
 */
export async function attend(ctx: AttendContext, payload: DecodedPayload): Promise<EncodedReply> {
  const plan = await planReply(ctx, payload);
  return plan === null ? NO_REPLY : storeAndReply(ctx, plan);
}

/** Like `attend`, from the raw payload. If there is nothing to say, it returns the host's default reply. */
export async function attendPayload(ctx: AttendContext, host: Host, payload: unknown): Promise<EncodedReply> {
  const decoded = await decodePayload({ config: ctx.config, env: thisMachine().env }, host, payload);
  const reply = decoded === null ? NO_REPLY : await attend(ctx, decoded);
  return reply.text === "" ? { ...reply, text: await readDefaultReply(host, payload) } : reply;
}

/** What to store and which calls to judge. A hook makes it before it opens the database. */
export interface ReplyPlan extends DecodedPayload {
  /** Redacted and capped: ready for the store or the spool. */
  readonly toStore: readonly NewEvent[];
  /** The calls to judge: about to run. On hosts that report a call only with its result, they have already run. */
  readonly pendingCalls: readonly BeforeCall[];
  /** When the host reported it: before the process for it was ready, if it has one of its own. */
  readonly arrivedAt: number;
}

export type BeforeCall = Extract<HookEvent, { moment: "before-call" }>;

/** Null if there is nothing to store and nothing to reply to. */
export async function planReply(
  ctx: Pick<Context, "config" | "clock"> & { readonly ageMs?: number | undefined },
  payload: DecodedPayload,
): Promise<ReplyPlan | null> {
  const { workspace } = payload;
  const events = payload.events.filter((one) => !isOwnStopMessageEvent(one));
  const pendingCalls = events.filter((one) => one.moment === "before-call");
  const storable = events.filter(shouldStore);
  const at = ctx.clock.now();
  const toStore =
    storable.length === 0 ? [] : await toEvents(storable, { policy: ctx.config.policy.observe, workspace, at });
  const isNothing = toStore.length === 0 && pendingCalls.length === 0 && !events.some((one) => one.only === "heard");
  return isNothing ? null : { ...payload, events, toStore, pendingCalls, arrivedAt: at - (ctx.ageMs ?? 0) };
}

/** A pending call is stored only if it is denied (`storeDeniedCall`); else its result is. */
function shouldStore(event: HookEvent): boolean {
  return event.moment !== "before-call" && event.only !== "heard";
}

/** Some hosts send our own stop message back as a prompt, as if a person had typed it. */
function isOwnStopMessageEvent(event: HookEvent): boolean {
  return event.moment === "prompt" && isOwnStopMessage(event.prompt);
}

/** Redaction patterns are loaded only if something is stored. A call that is only judged does not need them. */
async function toEvents(events: readonly HookEvent[], around: EventContext): Promise<readonly NewEvent[]> {
  const { toEvent } = await import("../observe/protocol/to-event.ts");
  return events.flatMap((one) => toEvent(one, around) ?? []);
}

/** Stores what happened, then replies. */
export async function storeAndReply(ctx: AttendContext, plan: ReplyPlan): Promise<EncodedReply> {
  const { db } = ctx;
  if (plan.events.some((one) => isSelfTest(one.session))) {
    await (await import("../observe/protocol/self-test-arrival.ts")).recordSelfTestArrival(ctx, plan.toStore);
    return NO_REPLY;
  }
  // Transcript lines are older than this event, so they are stored first.
  for (const one of plan.events) await plan.protocol.readNewTranscriptLines?.(ctx, one);
  for (const event of plan.toStore) await appendEvent(db, event);
  if (db.machine !== undefined) await registerPlace(ctx, plan);
  const { contexts, decision } = await judgePendingCalls(ctx, plan);
  const kept = plan.toStore.some(({ kind }) => kind === "prompt")
    ? await (await import("./store-typed-memories.ts")).storeTypedMemories(ctx, plan)
    : [];
  const advised = await adviseOnEvents(ctx, plan, kept);
  // Facts that a failure shows are stored last, so that they are not used to answer it.
  const failuresWithFacts = plan.toStore.filter((one) => mayHaveAnswer(one.error) || mayHideFailedCall(one));
  if (failuresWithFacts.length > 0) await (await import("../record/facts.ts")).storeFacts(ctx, failuresWithFacts);
  const person = await findPersonLine(ctx, plan);
  const [event] = [...plan.pendingCalls, ...advised.map((one) => one.event), ...(person ? [person.event] : [])];
  const texts = [...contexts, ...advised.map((one) => one.text)];
  if (event === undefined || (texts.length === 0 && decision === undefined && person === null)) return NO_REPLY;
  const reply: Reply = {
    ...(texts.length === 0 ? {} : { context: texts.join("\n") }),
    ...(person === null ? {} : { forPerson: person.text }),
    ...(decision === undefined ? {} : { decision }),
  };
  return { ...reply, text: plan.protocol.encode(event, reply) };
}

/** Records which repository the folder holds, at every event but a call: on a slow connection, the record made at session start may be lost. */
async function registerPlace(ctx: AttendContext, { host, workspace, events }: ReplyPlan): Promise<void> {
  const between = events.find(({ moment }) => moment !== "before-call" && moment !== "after-call");
  if (between === undefined || workspace === null) return;
  const { registerWorkspace } = await import("./register-workspace.ts");
  await registerWorkspace(ctx, { host, session: between.session, workspace });
}

/** A call may be the first thing that is seen of a clone or a work tree: its rules hold for that call too. */
async function registerNewPlace(
  ctx: AttendContext,
  { host, workspace }: ReplyPlan,
  { session }: BeforeCall,
  ahead: ActiveListing["ahead"],
): Promise<boolean> {
  if (workspace === null || ahead === null || ahead.isKnownPlace) return false;
  const { registerWorkspace } = await import("./register-workspace.ts");
  return registerWorkspace(ctx, { host, session, workspace });
}

/** One line about new rules for the person, on hosts that can show it. */
async function findPersonLine(ctx: AttendContext, plan: ReplyPlan): Promise<EventAdvice | null> {
  const hasPersonMoment = plan.events.some((one) => plan.protocol.personMoments?.includes(one.moment));
  return hasPersonMoment ? (await import("./person-line.ts")).takePersonLine(ctx, plan) : null;
}

/** The texts and the decision of the rules for pending calls. */
async function judgePendingCalls(
  ctx: AttendContext,
  plan: ReplyPlan,
): Promise<{ readonly contexts: readonly string[]; readonly decision: Reply["decision"] }> {
  const contexts: string[] = [];
  let decision: Reply["decision"];
  for (const event of plan.pendingCalls) {
    const { call, capability } = toPendingCall(plan, event);
    const registerPlace = ({ ahead }: Pick<ActiveListing, "ahead">) => registerNewPlace(ctx, plan, event, ahead);
    const advice = await adviseBeforeCall({ ...ctx, registerPlace }, call, capability);
    if (advice === null) continue;
    if (advice.context !== null) contexts.push(advice.context);
    // A payload may hold several calls: a question about one must not hide the denial of another.
    if (advice.decision !== null && decision?.kind !== "deny") decision = advice.decision;
    if (advice.decision?.kind === "deny")
      await (await loadUnstoredCall()).storeDeniedCall(ctx, plan, event, advice.decision.reason);
  }
  return { contexts, decision };
}

/** A call as the rules see it, and what its host does with the reply. */
export function toPendingCall(
  plan: ReplyPlan,
  event: BeforeCall,
): { readonly call: PendingCall; readonly capability: ReplyCapability } {
  const control = { ...plan.protocol.calls, ...(event.asks === undefined ? {} : { asks: event.asks }) };
  const { host, workspace, events, arrivedAt } = plan;
  const uid = event.callId ?? findEndedCallUid(plan, event);
  return {
    call: { ...event, host, workspace, events, arrivedAt, uid },
    capability: { takes: event.takes ?? "both", control },
  };
}

/** Loaded only for denied calls and calls that this payload does not store: both are rare. */
function loadUnstoredCall() {
  return import("./unstored-call.ts");
}

/** For a call that is judged with its result: the uid of the stored result, if the host gives the call no id. */
function findEndedCallUid({ events, toStore }: ReplyPlan, { tool, input }: BeforeCall): string | undefined {
  const at = events
    .filter(shouldStore)
    .findIndex((one) => one.moment === "after-call" && one.tool === tool && one.input === input);
  return toStore[at]?.uid;
}

interface EventAdvice {
  readonly event: HookEvent;
  readonly text: string;
}

/**
 * Advice at all moments but pending calls. With a call, only after a failure, or if undelivered advice waits; for other
 * calls nothing is loaded.
 */
async function adviseOnEvents(
  ctx: AttendContext,
  plan: ReplyPlan,
  kept: readonly Memory[],
): Promise<readonly EventAdvice[]> {
  const { host, workspace, protocol, toStore } = plan;
  const due = plan.events.filter((event) => isAdvised(event, protocol));
  if (due.length === 0) return [];
  // Only rules and answers can help after a failure. If there are none, nothing is loaded: a failed call costs no more
  // than a successful one.
  const onlyFailures =
    due.every((event) => event.moment === "after-call") && !mayHavePendingAdvice(protocol.contextLimits);
  const inPlay = onlyFailures ? await listActiveRules(ctx.db, workspace) : undefined;
  if (inPlay?.length === 0 && !due.some((event) => mayBeAnswered(ctx, event))) return [];
  const { advise } = await import("./advise.ts");
  const stored = plan.events.filter(shouldStore);
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
      logAccess: protocol.logAccess,
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
  return (
    isFailedCallEvent(event) ||
    mayHavePendingAdvice(contextLimits) ||
    (event.moment === "after-call" && mayHideFailedCall(event))
  );
}
