import type { DecodedPayload } from "../../attend/decode-payload.ts";
import type { LoadedConfig } from "../../config.ts";
import type { Store } from "../../store/engine/db.ts";
import { openStoreIn } from "../../store/open.ts";
import { answerInTime } from "./answer-in-time.ts";
import { patienceLeft } from "./patience.ts";

/** In a process for one call: the store is opened for it, and no model is loaded. */
export function answer(config: LoadedConfig, payload: DecodedPayload, say: (text: string) => void): Promise<void> {
  let store: Store | null = null;
  return answerInTime(config, payload, {
    models: wordsAlone,
    open: async ({ database, home, policy }) => {
      store = await openStoreIn(home, { database, busyMs: patienceLeft(policy.store.hookBusyMs), cacheKb: 2_000 });
      return store.db;
    },
    // What failed ends with the process.
    leave: async (outcome) => (outcome === "answered" ? store?.leave() : undefined),
    say,
  });
}

/** A process for one call has no time to load a model. */
const wordsAlone = { embedder: async () => null };
