import { planReply, type ReplyPlan, storeAndAnswer } from "../../attend/attend.ts";
import { decodePayload } from "../../attend/decode-payload.ts";
import { type Config, ensureHome, isInDoubt, loadConfig, type LoadedConfig, thisMachine } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { ensureFile } from "../../lib/ensure-file.ts";
import { beat } from "../../lib/heartbeat.ts";
import { countLost } from "../../lib/lost.ts";
import { hurried } from "../../models/hurried.ts";
import type { Models } from "../../models/models.ts";
import { hostNamed } from "../../observe/hosts/list.ts";
import { isSelfTest } from "../../observe/protocol/self-test-name.ts";
import { spoolEvents } from "../../observe/spool.ts";
import type { Store } from "../../store/engine/db.ts";
import { isPostgres, openStore } from "../../store/open.ts";
import { withinPatience } from "./patience.ts";

export interface Listener {
  /** The host's answer; empty is silence. Never throws: a hook that complains breaks its host. */
  hear(hostName: string, payload: unknown): Promise<string>;
  close(): Promise<void>;
}

/** Of the time a host waits, what a model may take: a question it does not answer in time goes by words. */
const MODEL_MS = 60;

/** Hooks answered by a process that stays for its session: code, store and models are there already. */
export function listen(home: string, models: Models): Listener {
  const quickModels = hurried(models, MODEL_MS);
  const keeper = storeKeeper();
  return {
    hear: async (hostName, payload) => {
      try {
        // Read each time: a switch to off holds from the next call on.
        return await answer(loadConfig({ home }), hostName, payload);
      } catch {
        countLost(home);
        return "";
      }
    },
    close: () => keeper.close(),
  };

  async function answer(config: LoadedConfig, hostName: string, payload: unknown): Promise<string> {
    const host = hostNamed(hostName);
    if (!host || config.off.everywhere) return "";
    const decoded = await decodePayload({ config, env: thisMachine().env }, host, payload);
    const plan = decoded === null ? null : await planReply({ config, clock: systemClock }, decoded);
    if (plan === null) return "";
    if (!plan.events.some((one) => isSelfTest(one.session))) beat(config.home, hostName, systemClock.now());
    if (isInDoubt(config)) return keep(config.home, plan, "unsure");
    try {
      return await withinPatience(answerFrom(config, plan));
    } catch {
      return keep(config.home, plan);
    }
  }

  async function answerFrom(config: Config, plan: ReplyPlan): Promise<string> {
    const { db } = await keeper.open(config);
    return (await storeAndAnswer({ config, db, clock: systemClock, models: quickModels }, plan)).text;
  }

  /** The store is locked, gone, broken or newer: what was seen waits for a better time, and the next call tries anew. */
  async function keep(folder: string, plan: ReplyPlan, certainty?: "unsure"): Promise<string> {
    await keeper.close();
    if (plan.toStore.length > 0) spoolEvents(folder, plan.toStore, certainty);
    return "";
  }
}

/** A connection of the hooks' own: theirs must not wait for a lock as long as a command may. */
function storeKeeper(): { open(config: Config): Promise<Store>; close(): Promise<void> } {
  let kept: { readonly database: string; readonly store: Promise<Store> } | null = null;
  const close = async () => {
    const leaving = kept;
    kept = null;
    await leaving?.store.then(
      (store) => store.close(),
      () => {},
    );
  };
  return {
    open: async ({ database, home, policy }) => {
      if (kept?.database !== database) {
        await close();
        ensureHome(home);
        if (!isPostgres(database)) ensureFile(database);
        kept = { database, store: openStore({ database, busyMs: policy.store.hookBusyMs, cacheKb: 2_000 }) };
      }
      return kept.store;
    },
    close,
  };
}
