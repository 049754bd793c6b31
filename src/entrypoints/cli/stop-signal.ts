/** What long work has to come to an end after Ctrl-C, before it is ended. */
const GRACE_MS = 2_000;

/**
 * Aborts at the first Ctrl-C, so that long work ends between two pieces. What takes no notice is ended after a moment,
 * or by the second Ctrl-C.
 */
export function newStopSignal(): AbortSignal {
  const stop = new AbortController();
  process.once("SIGINT", () => {
    stop.abort();
    setTimeout(() => process.kill(process.pid, "SIGINT"), GRACE_MS).unref();
  });
  return stop.signal;
}
