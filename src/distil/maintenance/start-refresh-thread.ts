import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Context } from "../../context.ts";
import { systemClock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { setRefreshedInBackground } from "../../store/state/background.ts";
import type { RefreshReport, RefreshRequest, RefreshThreadData } from "./refresh-thread.ts";

export interface RefreshThread {
  /** Something was stored, by whomever. */
  changed(): void;
  /** At once: what it was at is taken back by the store, and done by the next. */
  stop(): Promise<void>;
}

/**
 * Keeps up what is derived from events in a thread of its own: whoever asks this process is answered from what is there.
 * Who only looks changes no rule: nothing is mined, promoted or decayed here. From source there are no threads: then each
 * does it for itself.
 */
export function startRefreshThread(ctx: Context, say: (line: string) => void): RefreshThread {
  const entry = findThreadEntry();
  if (entry === null) return { changed: () => {}, stop: async () => {} };
  const now = ctx.clock === systemClock ? null : ctx.clock.now();
  const worker = new Worker(entry, { workerData: { config: ctx.config, now } satisfies RefreshThreadData });
  setRefreshedInBackground(ctx.db, true);
  worker.on("message", (line: RefreshReport) => say(line));
  worker.on("error", (error) => say(`the refresh thread ended: ${errorMessage(error)}`));
  // Nobody else keeps it up then.
  worker.once("exit", () => setRefreshedInBackground(ctx.db, false));
  // It is there for the process, not the other way round.
  worker.unref();
  return {
    changed: () => worker.postMessage("changed" satisfies RefreshRequest),
    stop: async () => {
      await worker.terminate();
    },
  };
}

/** Null where there is none: threads are started from the built program only, not from source. */
function findThreadEntry(): string | null {
  if (import.meta.url.endsWith(".ts")) return null;
  const path = join(packageRoot(), "dist", "oldhand-upkeep.js");
  return existsSync(path) ? path : null;
}
