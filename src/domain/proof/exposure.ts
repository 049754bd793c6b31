import type { SessionCount } from "./clusters.ts";

/** How many calls a session made, and how many of them were the warned-against call. */
export interface SessionExposure {
  readonly calls: number;
  readonly attempts: number;
}

/**
 * True if the situation is visible only by the mistake itself, because no other way to do it is known. Then nearly
 * every opportunity is an attempt whatever the rule does, which would prove for every rule that it does nothing.
 */
export function showsOnlyByAttempts(counted: SessionCount): boolean {
  return counted.attempts > 0 && counted.attempts >= ALL * counted.opportunities;
}

const ALL = 0.95;

/**
 * How many calls of a session count as one opportunity in that case, from how often the mistake was made before the
 * rule.
 */
export function callsPerOpportunity(before: readonly SessionExposure[]): number {
  const calls = before.reduce((sum, one) => sum + one.calls, 0);
  const attempts = before.reduce((sum, one) => sum + one.attempts, 0);
  return Math.max(1, (ATTEMPTED * calls) / Math.max(1, attempts));
}

/** The assumed share of attempts: enough to see a decrease, with room to see an increase. */
const ATTEMPTED = 0.2;

/** The cap for long sessions, the same with and without the rule. */
const MOST = 12;

export function toOpportunities({ calls, attempts }: SessionExposure, perOpportunity: number): SessionCount {
  const opportunities = Math.min(MOST, Math.max(1, Math.round(calls / perOpportunity)));
  return { opportunities, attempts: Math.min(attempts, opportunities) };
}
