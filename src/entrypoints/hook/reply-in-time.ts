import { planReply, type ReplyPlan, storeAndReply } from "../../attend/attend.ts";
import type { DecodedPayload } from "../../attend/decode-payload.ts";
import { type Config, isUncertain, type LoadedConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import { sinceStart, systemClock } from "../../lib/clock.ts";
import { recordHeartbeat } from "../../lib/heartbeat.ts";
import type { Moment } from "../../observe/protocol/hook-event.ts";
import { isSelfTest } from "../../observe/protocol/self-test-name.ts";
import type { Db } from "../../store/engine/db.ts";
import { isServerAddress } from "../../store/open.ts";
import type { ServerHook } from "./server-hook.ts";
import { LEARNING_SLICE, patienceFor, withinPatience } from "./patience.ts";

/** What differs between a process for one call and one that lives as long as its session. */
export interface HookProcess extends Pick<Context, "models" | "clock"> {
  /** `connectMs`: how long to wait for a server. */
  open(config: Config, connectMs: number): Promise<Db>;
  /** How long the process has run, if it was started for this call. */
  readonly ageMs?: number;
  /** How many times slower than usual the machine is now. */
  readonly slowness: number;
  /** Called after the reply, and after a failure; after a failure it is not awaited. */
  leave(outcome: "replied" | "failed"): Promise<void>;
  /** Sends the host's reply as soon as it is known; not called if there is nothing to say. */
  reply(text: string): void;
}

/**
 * What every hook does: records its heartbeat, plans, stores and replies within the time limit. Events that could not
 * be stored go to the spool; a session's start, stop and end store what is in it. Between turns, when no tool waits, it mines a
 * slice of the events: at session start and stop before the reply, so that a session starts with the rule; at
 * session end after it.
 */
export async function replyInTime(config: LoadedConfig, payload: DecodedPayload, own: HookProcess): Promise<void> {
  if (!payload.events.some((one) => isSelfTest(one.session)))
    recordHeartbeat(config.home, payload.host, systemClock.now());
  const plan = await planReply({ config, clock: own.clock, ageMs: own.ageMs }, payload);
  if (plan === null) return;
  if (isUncertain(config)) return (await loadSpool()).spoolEvents(config.home, plan.toStore, "unsure");
  let isStored = false;
  const isEnd = hasMoment(plan, "session-end");
  // Loaded only for a server.
  const server = isServerAddress(config.database)
    ? (await import("./server-hook.ts")).newServerHook(config, plan)
    : null;
  const at = isEnd ? "end" : hasMoment(plan, "session-start") ? "start" : "other";
  const { slowness } = own;
  const patienceMs = patienceFor({ at, isServer: server !== null, slowness, hasHung: server?.hasHung });
  try {
    const opening = own.open(config, patienceMs);
    const opened = { ...own, opening, patienceMs, server };
    // No tool waits here, and the session starts with what is learned now.
    if (hasMoment(plan, "session-start", "stop")) await learnBeforeReply(config, plan, opened);
    const limitMs =
      at === "other" && server !== null ? await server.connect(opening, { patienceMs, slowness }) : patienceMs;
    const began = sinceStart();
    const storing = executePlan(config, plan, { ...opened, stored: () => (isStored = true) });
    await withinPatience(storing, limitMs);
    if (plan.pendingCalls.length > 0) await server?.refreshCopy(toContext(config, await opening, own), COPY_MS);
    if (isEnd)
      await (await loadLearning()).runLearningSliceAtEnd(toContext(config, await opening, own), sinceStart() - began);
    await own.leave("replied");
  } catch (error) {
    // The store is locked, missing, corrupt or newer. A hook cannot repair that, and the host must not wait.
    if (!isStored) (await loadSpool()).spoolEvents(config.home, plan.toStore);
    await server?.replyWithout(error, own);
    void own.leave("failed");
  }
}

async function executePlan(
  config: Config,
  plan: ReplyPlan,
  own: OpenedHookProcess & { stored(): void },
): Promise<void> {
  const db = await own.opening;
  if (await isDuplicateMoment(db, plan, own.clock.now())) return own.stored();
  const { text } = await storeAndReply({ ...toContext(config, db, own), onListed: own.server?.onListed }, plan);
  own.stored();
  if (text !== "") own.reply(text);
  // No tool waits at these moments.
  if (hasMoment(plan, "session-start", "session-end"))
    await (await loadSpool()).drainSpool(db, config.home, config.off);
}

/** Loaded on demand: nearly every event is stored directly. */
function loadSpool() {
  return import("../../observe/spool.ts");
}

type OpenedHookProcess = HookProcess & {
  readonly opening: Promise<Db>;
  readonly patienceMs: number;
  /** Null for a file. */
  readonly server: ServerHook | null;
};

/** How long a call waits for the copy of the rules to be written, if they were changed. */
const COPY_MS = 100;

function toContext(config: Config, db: Db, { models, clock }: HookProcess) {
  return { config, db, clock, models };
}

async function learnBeforeReply(config: Config, plan: ReplyPlan, own: OpenedHookProcess): Promise<void> {
  const db = await withinPatience(own.opening, own.patienceMs);
  // On a slow connection, calls may depend on it: their own hooks are not in time to do it.
  await own.server?.refreshCopy(toContext(config, db, own), own.patienceMs);
  // First what a slow connection kept back: other machines wait for what it teaches.
  if (hasMoment(plan, "stop"))
    await withinPatience((await loadSpool()).drainSpool(db, config.home, config.off), own.patienceMs);
  await (
    await loadLearning()
  ).runLearningSlice(toContext(config, db, own), { ...LEARNING_SLICE, maintain: hasMoment(plan, "session-start") });
}

/** Loaded on demand: tool calls do not need it. */
function loadLearning() {
  return import("./learn.ts");
}

function hasMoment(plan: ReplyPlan, ...moments: readonly Moment[]): boolean {
  return plan.events.some(
    (event) => moments.includes(event.moment) && event.agent === null && !isSelfTest(event.session),
  );
}

/**
 * True if another wiring of the same host has reported this moment. Calls are not checked: a repeated call is the
 * same event by its id.
 */
async function isDuplicateMoment(db: Db, { events, pendingCalls }: ReplyPlan, now: number): Promise<boolean> {
  const moment = events.find((one) => one.moment !== "after-call" && one.moment !== "before-call");
  if (moment === undefined || pendingCalls.length > 0 || isSelfTest(moment.session)) return false;
  return !(await (await import("./first-report.ts")).isFirstReport(db, moment, now));
}
