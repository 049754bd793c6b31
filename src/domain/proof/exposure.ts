import type { SessionCount } from "./clusters.ts";

/** How much was done in a session, and how often the warned-against call was among it. */
export interface SessionExposure {
  readonly calls: number;
  readonly attempts: number;
}

/**
 * Whether a situation shows only by the mistake itself: a command for which there is no other way that is known. Attempts
 * per opportunity are then always all of them, whatever a rule does, and would prove of every rule that it does nothing.
 */
export function showsOnlyByAttempts(counted: SessionCount): boolean {
  return counted.attempts > 0 && counted.attempts >= ALL * counted.opportunities;
}

const ALL = 0.95;

/** Then so many calls of a session count as one opportunity, by how often it was done before there was the rule. */
export function callsPerOpportunity(before: readonly SessionExposure[]): number {
  const calls = before.reduce((sum, one) => sum + one.calls, 0);
  const attempts = before.reduce((sum, one) => sum + one.attempts, 0);
  return Math.max(1, (ATTEMPTED * calls) / Math.max(1, attempts));
}

/** Enough to see it grow rarer, with room to see it grow more frequent. */
const ATTEMPTED = 0.2;

/** Long sessions count no more than so many: whether they have the rule or not, they are judged alike. */
const MOST = 12;

export function toOpportunities({ calls, attempts }: SessionExposure, perOpportunity: number): SessionCount {
  const opportunities = Math.min(MOST, Math.max(1, Math.round(calls / perOpportunity)));
  return { opportunities, attempts: Math.min(attempts, opportunities) };
}
