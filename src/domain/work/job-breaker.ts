/**
 * A job's circuit breaker. After several failures in a row no slot is run for a while; then one slot is tried. Its
 * success closes the breaker, its failure opens it again. The owner is alerted once, until it closes.
 */
export interface JobBreaker {
  /** Failures in a row. */
  readonly failures: number;
  /** When it opened last; null while it is closed. */
  readonly openedAt: number | null;
  /** When the owner was alerted; null if not since it was closed. */
  readonly alertedAt: number | null;
}

export interface JobBreakerPolicy {
  readonly failures: number;
  readonly openMs: number;
}

export const closedBreaker: JobBreaker = { failures: 0, openedAt: null, alertedAt: null };

export function isBreakerOpen({ openedAt }: JobBreaker, now: number, { openMs }: JobBreakerPolicy): boolean {
  return openedAt !== null && now < openedAt + openMs;
}

export function explainJobFailures(failures: number): string {
  return failures === 1 ? "it failed once" : `it failed ${failures} times in a row`;
}

export function breakerState(
  breaker: JobBreaker,
  now: number,
  policy: JobBreakerPolicy,
): "closed" | "open" | "half-open" {
  if (breaker.openedAt === null) return "closed";
  return isBreakerOpen(breaker, now, policy) ? "open" : "half-open";
}

/** After a slot that failed. `alerts` is true for the failure that the owner must hear of. */
export function addJobFailure(
  breaker: JobBreaker,
  now: number,
  policy: JobBreakerPolicy,
): { readonly breaker: JobBreaker; readonly alerts: boolean } {
  const failures = breaker.failures + 1;
  if (failures < policy.failures) return { breaker: { ...breaker, failures }, alerts: false };
  const alerts = breaker.alertedAt === null;
  return { breaker: { failures, openedAt: now, alertedAt: breaker.alertedAt ?? now }, alerts };
}
