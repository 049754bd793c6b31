import { sinceStart } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/with-timeout.ts";

/** For a store that answers, but not today: a table locked by somebody, a link that hangs. A host must not wait for it. */
const PATIENCE_MS = 200;

/** What mining may take where a session starts or a turn ends, and where the session is over. No tool call waits for it. */
export const LEARNING_SLICE = { ms: 150, graceMs: 100 } as const;
/** Where no host waits for the slice itself, a slow store is waited for. */
export const IDLE_LEARNING_SLICE = { ms: 150, graceMs: 10_000 } as const;

export function withinPatience<T>(work: Promise<T>, ms: number = PATIENCE_MS): Promise<T> {
  return withTimeout(work, ms, () => new Error("the store takes too long"));
}

/** When a session ends, its host waits longest: also a store behind a slow link may then be reached, and learn. */
export const END_PATIENCE_MS = 500;

/** What a host waits for is the whole process: where that was slow to start, less is left for waiting on other writers. */
export function remainingPatience(busyMs: number): number {
  return Math.min(busyMs, Math.max(LEAST_MS, WHOLE_MS - sinceStart()));
}

const WHOLE_MS = 200;
const LEAST_MS = 20;
