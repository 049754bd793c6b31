import { sinceStart } from "../../lib/clock.ts";

/** How long SQLite itself waits for another writer, during which this process stands still. */
export const SLICE_MS = 10;

/**
 * The rest of the waiting is ours: the process goes on meanwhile, so the one we wait for may be in it.
 * It is also fairer: SQLite's longer and longer naps let late comers overtake.
 */
export async function retryWhileBusy<T>(busyMs: number, act: () => T): Promise<T> {
  // By the clock, not by the naps: on a machine with too much to do each takes longer than it was meant to.
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
