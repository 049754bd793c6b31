/** How long work may continue after Ctrl-C before the process is ended. */
const GRACE_MS = 2_000;

/**
 * Aborts at the first Ctrl-C, so that long work stops between two steps. Work that ignores it is ended after
 * `GRACE_MS` or by the second Ctrl-C.
 */
export function newStopSignal(): AbortSignal {
  const stop = new AbortController();
  process.once("SIGINT", () => {
    stop.abort();
    setTimeout(() => process.kill(process.pid, "SIGINT"), GRACE_MS).unref();
  });
  return stop.signal;
}
