import type { DecodedPayload } from "../../attend/decode-payload.ts";
import type { LoadedConfig } from "../../config.ts";
import type { Store } from "../../store/engine/db.ts";
import { openStoreInHome } from "../../store/open.ts";
import { answerInTime } from "./answer-in-time.ts";
import { remainingPatience } from "./patience.ts";

/** In a process for one call: the store is opened for it, and no model is loaded. */
export function answerOnce(
  config: LoadedConfig,
  payload: DecodedPayload,
  reply: (text: string) => void,
): Promise<void> {
  let store: Store | null = null;
  return answerInTime(config, payload, {
    models: noModels,
    open: async ({ database, home, policy }) => {
      const busyMs = remainingPatience(policy.store.hookBusyMs);
      store = await openStoreInHome(home, { database, busyMs, cacheKb: 2_000, logPages: LOG_PAGES });
      return store.db;
    },
    // What failed ends with the process.
    leave: async (outcome) => (outcome === "answered" ? store?.leave() : undefined),
    reply,
  });
}

/** Whoever opens the file alone reads the whole log first. Hooks leave it open, and come one after the other. */
const LOG_PAGES = 250;

/** A process for one call has no time to load a model. */
const noModels = { embedder: async () => null };
