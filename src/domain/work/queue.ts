/** Where a piece of work is: it waits, a worker holds it, it is done, or nobody will try it again. */
export type WorkState = "waiting" | "held" | "done" | "dead";

/** How often a piece of work is tried if its owner does not say. */
const USUAL_ATTEMPTS = 3;

/** The number of the last attempt that is made. */
export function lastAttemptOf(work: { readonly attempt: number; readonly lastAttempt?: number | undefined }): number {
  return Math.max(work.attempt, work.lastAttempt ?? work.attempt + USUAL_ATTEMPTS - 1);
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/** The wait after a failed attempt: it doubles with each, up to five minutes. */
export function retryDelayMs(attempt: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, attempt - 1));
}

/** A worker beats three times in each lease, so that one lost beat costs nothing. */
export function beatDelayMs(leaseMs: number): number {
  return Math.max(1, Math.floor(leaseMs / 3));
}
