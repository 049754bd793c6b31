import { existsSync } from "node:fs";
import { type ReplyPlan, planReply, storeAndAnswer } from "../../attend/attend.ts";
import type { DecodedPayload } from "../../attend/decode-payload.ts";
import { type Config, ensureHome, isInDoubt, type LoadedConfig } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { ensureFile } from "../../lib/ensure-file.ts";
import { drainSpool, spoolEvents } from "../../observe/spool.ts";
import { isPostgres, openStore } from "../../store/open.ts";
import { patienceLeft, withinPatience } from "./patience.ts";

/** Stores and answers within the hook's patience; what could not be stored waits in the spool. */
export async function answer(
  config: LoadedConfig,
  payload: DecodedPayload,
  say: (text: string) => void,
): Promise<void> {
  const plan = await planReply({ config, clock: systemClock }, payload);
  if (plan === null) return;
  if (isInDoubt(config)) return spoolEvents(config.home, plan.toStore, "unsure");
  try {
    await withinPatience(storeAndSay(config, plan, say));
  } catch {
    // The store is locked, gone, broken or newer: nobody here can mend that, and the host must not wait.
    if (plan.toStore.length > 0) spoolEvents(config.home, plan.toStore);
  }
}

async function storeAndSay(config: Config, plan: ReplyPlan, say: (text: string) => void): Promise<void> {
  const { database, home, policy } = config;
  if (!existsSync(home)) ensureHome(home);
  if (!isPostgres(database) && !existsSync(database)) ensureFile(database);
  const store = await openStore({ database, busyMs: patienceLeft(policy.store.hookBusyMs), cacheKb: 2_000 });
  const { text } = await storeAndAnswer({ config, db: store.db, clock: systemClock, models: wordsAlone }, plan);
  if (text !== "") say(text);
  if (plan.toStore.some((event) => event.kind === "session-start")) await drainSpool(store.db, home, config.off);
  await store.leave();
}

/** A process for one call has no time to load a model. */
const wordsAlone = { embedder: async () => null };
