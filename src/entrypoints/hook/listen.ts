import { decodePayload, readDefaultReply } from "../../attend/decode-payload.ts";
import { type Config, isUncertain, isSomewhereOff, loadConfig, thisMachine } from "../../config.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { countLost } from "../../lib/lost.ts";
import type { Stoppable } from "../../lib/stopped.ts";
import { withModelTimeout } from "../../models/with-model-timeout.ts";
import type { Models } from "../../models/models.ts";
import { findHost } from "../../observe/hosts/list.ts";
import type { Store } from "../../store/engine/db.ts";
import { openStoreInHome } from "../../store/open.ts";
import { replyInTime } from "./reply-in-time.ts";
import { runLearningSlice } from "./learn.ts";
import { newIdleLearner } from "./idle-learner.ts";
import { IDLE_LEARNING_SLICE } from "./patience.ts";

export interface HookListener {
  /**
   * Returns the host's reply; empty if there is nothing to say. Never throws, because an error in a hook breaks its
   * host.
   */
  reply(hostName: string, payload: unknown): Promise<string>;
  close(): Promise<void>;
}

/** How long a model may take. If an embedding is not ready in time, search uses words only. */
const MODEL_MS = 60;

/** Replies to hooks in a process that lives as long as its session: code, store and models stay loaded. */
export function openHookListener(home: string, models: Models, clock: Clock = systemClock): HookListener {
  const quickModels = withModelTimeout(models, MODEL_MS);
  const keeper = newStoreKeeper();
  const learner = newIdleLearner(mineSlice);
  return {
    reply: (hostName, payload) =>
      learner.around(async () => {
        let reply = "";
        try {
          reply = await produceReply(hostName, payload);
        } catch {
          countLost(home);
        }
        return reply || readDefaultReply(findHost(hostName), payload);
      }),
    close: async () => {
      await learner.close();
      await keeper.close();
    },
  };

  async function mineSlice(stop: Stoppable): Promise<boolean> {
    try {
      const config = loadConfig({ home });
      if (config.off.everywhere || isUncertain(config)) return false;
      const { db } = await keeper.open(config);
      const ctx = { config, db, clock, models: quickModels };
      if (await runLearningSlice(ctx, { ...IDLE_LEARNING_SLICE, maintain: true, stop })) return true;
      const { embedRecent } = await import("../../search/embed-recent.ts");
      return await embedRecent(ctx, () => models.embedder(), stop);
    } catch {
      // The next hook reopens the store or reports why it cannot.
      return false;
    }
  }

  async function produceReply(hostName: string, payload: unknown): Promise<string> {
    // Read each time, so that switching off takes effect with the next call.
    const config = loadConfig({ home });
    const host = findHost(hostName);
    if (!host) return "";
    const around = { config, env: thisMachine().env };
    if (isSomewhereOff(config.off)) {
      const { recordOff } = await import("../../attend/record-off.ts");
      await recordOff(around, host, async () => JSON.stringify(payload));
    }
    if (config.off.everywhere) return "";
    const decoded = await decodePayload(around, host, payload);
    if (decoded === null) return "";
    let reply = "";
    await replyInTime(config, decoded, {
      models: quickModels,
      clock,
      slowness: 1,
      open: async (at, connectMs) => (await keeper.open(at, connectMs)).db,
      // After a failure the next call opens the store again.
      leave: async (outcome) => (outcome === "failed" ? keeper.close() : undefined),
      reply: (text) => void (reply = text),
    });
    return reply;
  }
}

/** A separate connection for hooks, because they must not wait for a lock as long as a command may. */
function newStoreKeeper(): { open(config: Config, connectMs?: number): Promise<Store>; close(): Promise<void> } {
  let kept: { readonly database: string; readonly store: Promise<Store> } | null = null;
  let closed = Promise.resolve();
  const close = () => {
    const leaving = kept;
    kept = null;
    // A store that failed to open needs no closing. The next one is opened only after this, so at most one is open.
    if (leaving) closed = leaving.store.then((store) => store.close()).catch(() => {});
    return closed;
  };
  const opened = async ({ database, home, policy }: Config, connectMs: number | undefined) => {
    await close();
    return openStoreInHome(home, {
      database,
      busyMs: policy.store.hookBusyMs,
      ...(connectMs === undefined ? {} : { connectMs }),
      cacheKb: 2_000,
      machine: policy.team.machine,
      networkFile: policy.store.networkFile,
      isHook: true,
    });
  };
  return {
    open: (config, connectMs) => {
      const { database } = config;
      if (kept?.database !== database) kept = { database, store: opened(config, connectMs) };
      return kept.store;
    },
    close,
  };
}
