import { sinceStart } from "./clock.ts";
import { OldhandError } from "./errors.ts";

/** Checked by long work between two steps. */
export type Stoppable = Pick<AbortSignal, "aborted">;

/** Aborted when the time is over (no timer needed), or when `other` is. */
export function stopsAfter(ms: number, other: Stoppable = { aborted: false }): Stoppable {
  const until = sinceStart() + ms;
  return {
    get aborted() {
      return sinceStart() >= until || other.aborted;
    },
  };
}

export function isStoppedError(error: unknown): boolean {
  return error instanceof OldhandError && error.code === "stopped";
}

/** Call between two steps of long work: ends it if its result is no longer needed. */
export function throwIfStopped(signal: Stoppable): void {
  if (signal.aborted)
    throw new OldhandError("stopped", "stopped", {
      hint: "finished work is kept; run the same command again to continue",
    });
}
