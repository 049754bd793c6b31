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
  /** Call it after any process stored something. */
  changed(): void;
  /** Terminates at once. The store rolls back unfinished work; the next run repeats it. */
  stop(): Promise<void>;
}

/**
 * Refreshes derived data in a worker thread, so that requests to this process are answered from what is
 * there. It changes no rule: nothing is mined, promoted or decayed. When run from source there is no thread;
 * each request then refreshes for itself.
 */
export function startRefreshThread(ctx: Context, say: (line: string) => void): RefreshThread {
  const entry = findThreadEntry();
  if (entry === null) return { changed: () => {}, stop: async () => {} };
  const now = ctx.clock === systemClock ? null : ctx.clock.now();
  const worker = new Worker(entry, { workerData: { config: ctx.config, now } satisfies RefreshThreadData });
  setRefreshedInBackground(ctx.db, true);
  worker.on("message", (line: RefreshReport) => say(line));
  worker.on("error", (error) => say(`the refresh thread ended: ${errorMessage(error)}`));
  // Without the thread, each request must refresh for itself.
  worker.once("exit", () => setRefreshedInBackground(ctx.db, false));
  // The thread must not keep the process alive.
  worker.unref();
  return {
    changed: () => worker.postMessage("changed" satisfies RefreshRequest),
    stop: async () => {
      await worker.terminate();
    },
  };
}

/** Null when run from source: only the built program has a thread entry. */
function findThreadEntry(): string | null {
  if (import.meta.url.endsWith(".ts")) return null;
  const path = join(packageRoot(), "dist", "oldhand-upkeep.js");
  return existsSync(path) ? path : null;
}
