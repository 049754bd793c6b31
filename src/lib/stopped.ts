import { sinceStart } from "./clock.ts";
import { OldhandError } from "./errors.ts";

/** What long work looks at between two pieces. */
export type Stoppable = Pick<AbortSignal, "aborted">;

/** Says so once the time is over, without waiting for the turn of a timer; or as soon as another does. */
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

/** Between two pieces of long work: ends it here where nobody waits for it any more. */
export function throwIfStopped(signal: Stoppable): void {
  if (signal.aborted)
    throw new OldhandError("stopped", "stopped", {
      hint: "finished work is kept; run the same command again to continue",
    });
}
