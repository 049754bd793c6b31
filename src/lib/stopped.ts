import { OldhandError } from "./errors.ts";

/** Between two pieces of long work: ends it here where nobody waits for it any more. */
export function endIfStopped(signal: Pick<AbortSignal, "aborted">): void {
  if (signal.aborted)
    throw new OldhandError("stopped", "stopped", {
      hint: "finished work is kept; run the same command again to continue",
    });
}
