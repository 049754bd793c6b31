import { planReply, type ReplyPlan, storeAndAnswer } from "../../attend/attend.ts";
import type { DecodedPayload } from "../../attend/decode-payload.ts";
import { type Config, isInDoubt, type LoadedConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import { sinceStart, systemClock } from "../../lib/clock.ts";
import { beat } from "../../lib/heartbeat.ts";
import type { Moment } from "../../observe/protocol/hook-event.ts";
import { isSelfTest } from "../../observe/protocol/self-test-name.ts";
import type { Db } from "../../store/engine/db.ts";
import { END_PATIENCE_MS, SLICE, withinPatience } from "./patience.ts";

/** What differs between a process for one call and one that stays for its session. */
export interface HookProcess extends Pick<Context, "models"> {
  open(config: Config): Promise<Db>;
  /** After the answer, and after a failure: then nobody waits for it. */
  leave(outcome: "answered" | "failed"): Promise<void>;
  /** Takes the host's answer as soon as it is there; not called for silence. */
  say(text: string): void;
}

/**
 * The way of every hook: note that it fired, plan, store and answer within the hook's patience. What could not be stored
 * waits in the spool, and a session's start brings in what waits there. Between turns, where no tool waits, a slice of
 * what happened is mined: before the answer, so that a session starts with the rule, and once it has ended, after it.
 */
export async function answerInTime(config: LoadedConfig, payload: DecodedPayload, own: HookProcess): Promise<void> {
  if (!payload.events.some((one) => isSelfTest(one.session))) beat(config.home, payload.host, systemClock.now());
  const plan = await planReply({ config, clock: systemClock }, payload);
  if (plan === null) return;
  if (isInDoubt(config)) return (await spool()).spoolEvents(config.home, plan.toStore, "unsure");
  let isStored = false;
  try {
    const opening = own.open(config);
    // No tool waits here, and what is learned now is what the session starts with.
    if (isAt(plan, "session-start", "stop")) await learnFirst(config, plan, { ...own, opening });
    const isEnd = isAt(plan, "session-end");
    const began = sinceStart();
    const storing = storeAndSay(config, plan, { ...own, opening, stored: () => (isStored = true) });
    await withinPatience(storing, isEnd ? END_PATIENCE_MS : undefined);
    if (isEnd) await (await learning()).learnAtEnd(contextOf(config, await opening, own), sinceStart() - began);
    await own.leave("answered");
  } catch {
    // The store is locked, gone, broken or newer: nobody here can mend that, and the host must not wait.
    if (!isStored) (await spool()).spoolEvents(config.home, plan.toStore);
    void own.leave("failed");
  }
}

async function storeAndSay(config: Config, plan: ReplyPlan, own: Opened & { stored(): void }): Promise<void> {
  const db = await own.opening;
  if (await isToldTwice(db, plan)) return own.stored();
  const { text } = await storeAndAnswer(contextOf(config, db, own), plan);
  own.stored();
  if (text !== "") own.say(text);
  if (plan.toStore.some((event) => event.kind === "session-start"))
    await (await spool()).drainSpool(db, config.home, config.off);
}

/** Loaded where it is needed: nearly every event is stored at once. */
function spool() {
  return import("../../observe/spool.ts");
}

type Opened = HookProcess & { readonly opening: Promise<Db> };

function contextOf(config: Config, db: Db, { models }: HookProcess) {
  return { config, db, clock: systemClock, models };
}

async function learnFirst(config: Config, plan: ReplyPlan, own: Opened): Promise<void> {
  const db = await withinPatience(own.opening);
  await (await learning()).learn(contextOf(config, db, own), { ...SLICE, maintain: isAt(plan, "session-start") });
}

/** Loaded here: no tool call has a use for it. */
function learning() {
  return import("./learn.ts");
}

function isAt(plan: ReplyPlan, ...moments: readonly Moment[]): boolean {
  return plan.events.some(
    (event) => moments.includes(event.moment) && event.agent === null && !isSelfTest(event.session),
  );
}

/** Two wirings of one host tell of each moment twice. What a call comes to is the same event by its id, and costs no look. */
async function isToldTwice(db: Db, { events, pendingCalls }: ReplyPlan): Promise<boolean> {
  const moment = events.find((one) => one.moment !== "after-call" && one.moment !== "before-call");
  if (moment === undefined || pendingCalls.length > 0 || isSelfTest(moment.session)) return false;
  return !(await (await import("./told-once.ts")).isToldFirst(db, moment, systemClock.now()));
}
