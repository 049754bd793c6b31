import { planReply, type ReplyPlan, storeAndAnswer } from "../../attend/attend.ts";
import type { DecodedPayload } from "../../attend/decode-payload.ts";
import { type Config, isUncertain, type LoadedConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import { sinceStart, systemClock } from "../../lib/clock.ts";
import { recordHeartbeat } from "../../lib/heartbeat.ts";
import type { Moment } from "../../observe/protocol/hook-event.ts";
import { isSelfTest } from "../../observe/protocol/self-test-name.ts";
import type { Db } from "../../store/engine/db.ts";
import { END_PATIENCE_MS, LEARNING_SLICE, withinPatience } from "./patience.ts";

/** What differs between a process for one call and one that stays for its session. */
export interface HookProcess extends Pick<Context, "models"> {
  open(config: Config): Promise<Db>;
  /** After the answer, and after a failure: then nobody waits for it. */
  leave(outcome: "answered" | "failed"): Promise<void>;
  /** Takes the host's answer as soon as it is there; not called for silence. */
  reply(text: string): void;
}

/**
 * The way of every hook: note that it fired, plan, store and answer within the hook's patience. What could not be stored
 * waits in the spool, and a session's start brings in what waits there. Between turns, where no tool waits, a slice of
 * what happened is mined: before the answer, so that a session starts with the rule, and once it has ended, after it.
 */
export async function answerInTime(config: LoadedConfig, payload: DecodedPayload, own: HookProcess): Promise<void> {
  if (!payload.events.some((one) => isSelfTest(one.session)))
    recordHeartbeat(config.home, payload.host, systemClock.now());
  const plan = await planReply({ config, clock: systemClock }, payload);
  if (plan === null) return;
  if (isUncertain(config)) return (await loadSpool()).spoolEvents(config.home, plan.toStore, "unsure");
  let isStored = false;
  try {
    const opening = own.open(config);
    // No tool waits here, and what is learned now is what the session starts with.
    if (hasMoment(plan, "session-start", "stop")) await learnBeforeReply(config, plan, { ...own, opening });
    const isEnd = hasMoment(plan, "session-end");
    const began = sinceStart();
    const storing = storeAndReply(config, plan, { ...own, opening, stored: () => (isStored = true) });
    await withinPatience(storing, isEnd ? END_PATIENCE_MS : undefined);
    if (isEnd)
      await (await loadLearning()).runLearningSliceAtEnd(toContext(config, await opening, own), sinceStart() - began);
    await own.leave("answered");
  } catch {
    // The store is locked, gone, broken or newer: nobody here can mend that, and the host must not wait.
    if (!isStored) (await loadSpool()).spoolEvents(config.home, plan.toStore);
    void own.leave("failed");
  }
}

async function storeAndReply(
  config: Config,
  plan: ReplyPlan,
  own: OpenedHookProcess & { stored(): void },
): Promise<void> {
  const db = await own.opening;
  if (await isDuplicateMoment(db, plan)) return own.stored();
  const { text } = await storeAndAnswer(toContext(config, db, own), plan);
  own.stored();
  if (text !== "") own.reply(text);
  if (plan.toStore.some((event) => event.kind === "session-start"))
    await (await loadSpool()).drainSpool(db, config.home, config.off);
}

/** Loaded where it is needed: nearly every event is stored at once. */
function loadSpool() {
  return import("../../observe/spool.ts");
}

type OpenedHookProcess = HookProcess & { readonly opening: Promise<Db> };

function toContext(config: Config, db: Db, { models }: HookProcess) {
  return { config, db, clock: systemClock, models };
}

async function learnBeforeReply(config: Config, plan: ReplyPlan, own: OpenedHookProcess): Promise<void> {
  const db = await withinPatience(own.opening);
  await (
    await loadLearning()
  ).runLearningSlice(toContext(config, db, own), { ...LEARNING_SLICE, maintain: hasMoment(plan, "session-start") });
}

/** Loaded here: no tool call has a use for it. */
function loadLearning() {
  return import("./learn.ts");
}

function hasMoment(plan: ReplyPlan, ...moments: readonly Moment[]): boolean {
  return plan.events.some(
    (event) => moments.includes(event.moment) && event.agent === null && !isSelfTest(event.session),
  );
}

/** Two wirings of one host tell of each moment twice. What a call comes to is the same event by its id, and costs no look. */
async function isDuplicateMoment(db: Db, { events, pendingCalls }: ReplyPlan): Promise<boolean> {
  const moment = events.find((one) => one.moment !== "after-call" && one.moment !== "before-call");
  if (moment === undefined || pendingCalls.length > 0 || isSelfTest(moment.session)) return false;
  return !(await (await import("./first-report.ts")).isFirstReport(db, moment, systemClock.now()));
}
