import { sinceStart } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/with-timeout.ts";

/** The limit for a store that is too slow: a locked table, a hanging connection. The host must not wait longer. */
const PATIENCE_MS = 200;

/** Time for mining at session start and after a turn, and the minimum at session end. No tool call waits for it. */
export const LEARNING_SLICE = { ms: 150, graceMs: 100 } as const;
/** When no host waits for the slice, a slow store may take longer. */
export const IDLE_LEARNING_SLICE = { ms: 150, graceMs: 10_000 } as const;

export function withinPatience<T>(work: Promise<T>, ms: number = PATIENCE_MS): Promise<T> {
  return withTimeout(work, ms, () => new Error("the store takes too long"));
}

/** Hosts wait longest at session end, so even a store behind a slow connection can be reached then. */
export const END_PATIENCE_MS = 500;

/** The host waits for the whole process: if its start was slow, less time is left for waiting on other writers. */
export function remainingPatience(busyMs: number): number {
  return Math.min(busyMs, Math.max(LEAST_MS, WHOLE_MS - sinceStart()));
}

const WHOLE_MS = 200;
const LEAST_MS = 20;
