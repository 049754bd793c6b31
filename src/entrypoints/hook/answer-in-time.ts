import { planReply, type ReplyPlan, storeAndAnswer } from "../../attend/attend.ts";
import type { DecodedPayload } from "../../attend/decode-payload.ts";
import { type Config, isInDoubt, type LoadedConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import { systemClock } from "../../lib/clock.ts";
import { beat } from "../../lib/heartbeat.ts";
import type { Moment } from "../../observe/protocol/hook-event.ts";
import { isSelfTest } from "../../observe/protocol/self-test-name.ts";
import { drainSpool, spoolEvents } from "../../observe/spool.ts";
import type { Db } from "../../store/engine/db.ts";
import { learn } from "./learn.ts";
import { END_MS, PATIENCE_MS, START_MS, withinPatience } from "./patience.ts";

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
  if (isInDoubt(config)) return spoolEvents(config.home, plan.toStore, "unsure");
  let isStored = false;
  try {
    const patience = PATIENCE_MS + learningTime(plan);
    await withinPatience(storeAndSay(config, plan, { ...own, stored: () => (isStored = true) }), patience);
  } catch {
    // The store is locked, gone, broken or newer: nobody here can mend that, and the host must not wait.
    if (!isStored) spoolEvents(config.home, plan.toStore);
    void own.leave("failed");
  }
}

async function storeAndSay(
  config: Config,
  plan: ReplyPlan,
  { open, leave, say, models, stored }: HookProcess & { stored(): void },
): Promise<void> {
  const db = await open(config);
  const ctx = { config, db, clock: systemClock, models };
  if (isAt(plan, "session-start") || isAt(plan, "stop")) await learn(ctx, START_MS);
  const { text } = await storeAndAnswer(ctx, plan);
  stored();
  if (text !== "") say(text);
  if (plan.toStore.some((event) => event.kind === "session-start")) await drainSpool(db, config.home, config.off);
  if (isAt(plan, "session-end")) await learn(ctx, END_MS);
  await leave("answered");
}

function isAt(plan: ReplyPlan, moment: Moment): boolean {
  return plan.events.some((event) => event.moment === moment && event.agent === null && !isSelfTest(event.session));
}

/** Added to the patience of such a moment; no tool call waits that long. */
function learningTime(plan: ReplyPlan): number {
  if (isAt(plan, "session-end")) return END_MS;
  return isAt(plan, "session-start") || isAt(plan, "stop") ? START_MS : 0;
}
