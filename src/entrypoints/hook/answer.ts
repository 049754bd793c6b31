import { existsSync } from "node:fs";
import { type Config, ensureHome, isInDoubt, type LoadedConfig } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { ensureFile } from "../../mind.ts";
import { drainSpool, spoolEvents } from "../../observe/spool.ts";
import { isPostgres, openStore } from "../../store/open.ts";
import { carryOut, type Plan, planFor, type Sight } from "../../attend/attend.ts";
import { withinPatience, patienceLeft } from "./patience.ts";

/** Stores and answers within the hook's patience; what could not be stored waits in the spool. */
export async function answer(config: LoadedConfig, sight: Sight, say: (text: string) => void): Promise<void> {
  const plan = await planFor({ config, clock: systemClock }, sight);
  if (plan === null) return;
  const { home } = config;
  if (isInDoubt(config)) return spoolEvents(home, plan.events, "unsure");
  try {
    await withinPatience(storeAndSay(config, plan, say));
  } catch {
    // The store is locked, gone, broken or newer: nobody here can mend that, and the host must not wait.
    if (plan.events.length > 0) spoolEvents(home, plan.events);
  }
}

async function storeAndSay(config: Config, plan: Plan, say: (text: string) => void): Promise<void> {
  const { database, home, policy } = config;
  if (!existsSync(home)) ensureHome(home);
  if (!isPostgres(database) && !existsSync(database)) ensureFile(database);
  const store = await openStore({ database, busyMs: patienceLeft(policy.store.hookBusyMs), cacheKb: 2_000 });
  const said = await carryOut({ config, db: store.db, clock: systemClock }, plan);
  if (said !== "") say(said);
  if (plan.events.some((event) => event.kind === "session-start")) await drainSpool(store.db, home, config.off);
  await store.leave();
}
