import type { RoutePolicy } from "./policy.ts";

export type Complexity = "simple" | "moderate" | "complex";

/** Tasks that another model failed before are harder, so what comes of them is counted apart. */
export type RouteAttempt = "first" | "later";

export interface TallyKey {
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly model: string;
  readonly attempt: RouteAttempt;
}

/** What is known of a model at one kind of task: counts and sums, so that a row is brought up to date by what is new alone. */
export interface Tally extends TallyKey {
  /** How often it was chosen, and how often only to learn about it. Never forgotten. */
  readonly tries: number;
  readonly explored: number;
  /** Outcomes and the sum of their qualities, both fading. */
  readonly outcomes: number;
  readonly quality: number;
  /** Calls and the sums of what they cost and how long they took, all fading. */
  readonly calls: number;
  readonly cost: number;
  readonly latencyMs: number;
  /** When it was last brought up to date. */
  readonly at: number;
}

/** A call that was made: known at once. */
export interface ModelCall {
  readonly cost: number;
  readonly latencyMs: number;
  readonly explored: boolean;
  readonly at: number;
}

/** What came of a task: often known later than the call. */
export interface TaskOutcome {
  /** 0 where it failed, otherwise how good it was. */
  readonly quality: number;
  /** Whether a check or a person said so, or it is guessed. */
  readonly verified: boolean;
  readonly at: number;
}

export function newTally(key: TallyKey, at: number): Tally {
  return { ...key, tries: 0, explored: 0, outcomes: 0, quality: 0, calls: 0, cost: 0, latencyMs: 0, at };
}

export function addCall(tally: Tally, call: ModelCall, policy: RoutePolicy): Tally {
  const before = fadeTally(tally, call.at, policy);
  const kept = shareToKeep(before.calls + 1, policy);
  return {
    ...before,
    tries: before.tries + 1,
    explored: before.explored + (call.explored ? 1 : 0),
    calls: (before.calls + 1) * kept,
    cost: (before.cost + call.cost) * kept,
    latencyMs: (before.latencyMs + call.latencyMs) * kept,
  };
}

export function addOutcome(tally: Tally, outcome: TaskOutcome, policy: RoutePolicy): Tally {
  const before = fadeTally(tally, outcome.at, policy);
  const weight = outcome.verified ? 1 : policy.guessWeight;
  const kept = shareToKeep(before.outcomes + weight, policy);
  return {
    ...before,
    outcomes: (before.outcomes + weight) * kept,
    quality: (before.quality + weight * Math.min(1, Math.max(0, outcome.quality))) * kept,
  };
}

/** What is left of a tally at a later time. A clock that went back fades nothing. */
export function fadeTally(tally: Tally, now: number, policy: RoutePolicy): Tally {
  const days = (now - tally.at) / DAY_MS;
  if (days <= 0) return tally;
  const left = 2 ** (-days / policy.halfLifeDays);
  return {
    ...tally,
    outcomes: tally.outcomes * left,
    quality: tally.quality * left,
    calls: tally.calls * left,
    cost: tally.cost * left,
    latencyMs: tally.latencyMs * left,
    at: now,
  };
}

/** A full memory shrinks to its size, so the newest outcome always weighs at least one part of it. */
function shareToKeep(weight: number, policy: RoutePolicy): number {
  return weight > policy.memory ? policy.memory / weight : 1;
}

const DAY_MS = 86_400_000;
