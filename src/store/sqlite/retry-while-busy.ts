import { sinceStart } from "../../lib/clock.ts";

/** How long SQLite itself waits for another writer; this blocks the process. */
export const SLICE_MS = 10;

/**
 * We wait the rest of the time ourselves: the process goes on meanwhile, so the other writer may be in it. It
 * is also fairer: SQLite's growing delays let later callers overtake.
 */
export async function retryWhileBusy<T>(busyMs: number, act: () => T): Promise<T> {
  // Measured by the clock, not by the sum of delays: on a loaded machine each takes longer than requested.
  const until = sinceStart() + busyMs;
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (sinceStart() >= until || !isBusy(error)) throw error;
    }
    const nap = 1 + Math.random() * SLICE_MS;
    await new Promise((resolve) => setTimeout(resolve, nap));
  }
}

export function isBusy(error: unknown): boolean {
  return /database is locked|database table is locked|busy/i.test(String(error));
}
