import { decodePayload, silenceOf } from "../../attend/decode-payload.ts";
import { type Config, isInDoubt, isSomewhereOff, loadConfig, thisMachine } from "../../config.ts";
import { systemClock } from "../../lib/clock.ts";
import { countLost } from "../../lib/lost.ts";
import type { Stoppable } from "../../lib/stopped.ts";
import { hurried } from "../../models/hurried.ts";
import type { Models } from "../../models/models.ts";
import { hostNamed } from "../../observe/hosts/list.ts";
import type { Store } from "../../store/engine/db.ts";
import { openStoreIn } from "../../store/open.ts";
import { answerInTime } from "./answer-in-time.ts";
import { learn } from "./learn.ts";
import { learnWhenIdle } from "./learn-when-idle.ts";
import { IDLE_SLICE } from "./patience.ts";

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
  const learner = learnWhenIdle(mineSlice);
  return {
    hear: (hostName, payload) =>
      learner.around(async () => {
        let said = "";
        try {
          said = await answer(hostName, payload);
        } catch {
          countLost(home);
        }
        return said || silenceOf(hostNamed(hostName), payload);
      }),
    close: async () => {
      await learner.close();
      await keeper.close();
    },
  };

  async function mineSlice(stop: Stoppable): Promise<boolean> {
    try {
      const config = loadConfig({ home });
      if (config.off.everywhere || isInDoubt(config)) return false;
      const { db } = await keeper.open(config);
      const ctx = { config, db, clock: systemClock, models: quickModels };
      if (await learn(ctx, { ...IDLE_SLICE, maintain: true, stop })) return true;
      const { embedRecent } = await import("../../search/embed-recent.ts");
      return await embedRecent(ctx, () => models.embedder(), stop);
    } catch {
      // The next hook opens the store anew, or finds out why not.
      return false;
    }
  }

  async function answer(hostName: string, payload: unknown): Promise<string> {
    // Read each time: a switch to off holds from the next call on.
    const config = loadConfig({ home });
    const host = hostNamed(hostName);
    if (!host) return "";
    const around = { config, env: thisMachine().env };
    if (isSomewhereOff(config.off)) {
      const { noteOff } = await import("../../attend/note-off.ts");
      await noteOff(around, host, async () => JSON.stringify(payload));
    }
    if (config.off.everywhere) return "";
    const decoded = await decodePayload(around, host, payload);
    if (decoded === null) return "";
    let said = "";
    await answerInTime(config, decoded, {
      models: quickModels,
      open: async (at) => (await keeper.open(at)).db,
      // After a failure the next call tries anew.
      leave: async (outcome) => (outcome === "failed" ? keeper.close() : undefined),
      say: (text) => void (said = text),
    });
    return said;
  }
}

/** A connection of the hooks' own: theirs must not wait for a lock as long as a command may. */
function storeKeeper(): { open(config: Config): Promise<Store>; close(): Promise<void> } {
  let kept: { readonly database: string; readonly store: Promise<Store> } | null = null;
  let closed = Promise.resolve();
  const close = () => {
    const leaving = kept;
    kept = null;
    // One that never opened, or is broken, has nothing to close. The next is opened only then: at most one is left open.
    if (leaving) closed = leaving.store.then((store) => store.close()).catch(() => {});
    return closed;
  };
  const opened = async ({ database, home, policy }: Config) => {
    await close();
    return openStoreIn(home, { database, busyMs: policy.store.hookBusyMs, cacheKb: 2_000 });
  };
  return {
    open: (config) => {
      const { database } = config;
      if (kept?.database !== database) kept = { database, store: opened(config) };
      return kept.store;
    },
    close,
  };
}
