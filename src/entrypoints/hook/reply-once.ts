import type { DecodedPayload } from "../../attend/decode-payload.ts";
import type { LoadedConfig } from "../../config.ts";
import { sinceStart } from "../../lib/clock.ts";
import type { Store } from "../../store/engine/db.ts";
import { openStoreInHome } from "../../store/open.ts";
import { type HookProcess, replyInTime } from "./reply-in-time.ts";
import { measureSlowness, remainingPatience } from "./patience.ts";

/** For a process that handles one call: opens the store for it, and loads no model. */
export function replyOnce(
  config: LoadedConfig,
  payload: DecodedPayload,
  { clock, reply }: Pick<HookProcess, "clock" | "reply">,
): Promise<void> {
  let store: Store | null = null;
  return replyInTime(config, payload, {
    models: noModels,
    clock,
    ageMs: sinceStart(),
    slowness: measureSlowness(),
    open: async ({ database, home, policy }, connectMs) => {
      const busyMs = remainingPatience(policy.store.hookBusyMs);
      store = await openStoreInHome(home, {
        ...{ database, busyMs, connectMs, cacheKb: 2_000, logPages: LOG_PAGES, machine: policy.team.machine },
        networkFile: policy.store.networkFile,
        isHook: true,
      });
      return store.db;
    },
    // After a failure nothing is closed, because the process ends anyway.
    leave: async (outcome) => (outcome === "replied" ? store?.leave() : undefined),
    reply,
  });
}

/**
 * Keeps the write-ahead log short: hooks run one after the other and do not close it, and each one that is alone has
 * to read it all.
 */
const LOG_PAGES = 250;

/** A process for one call has no time to load a model. */
const noModels = { embedder: async () => null };
