import type { RoutePolicy } from "./policy.ts";

export type Complexity = "simple" | "moderate" | "complex";

/** Tasks that another model failed before are harder, so they are counted separately. */
export type RouteAttempt = "first" | "later";

export interface TallyKey {
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly model: string;
  readonly attempt: RouteAttempt;
}

/** The counts and sums of a model at one kind of task. They can be updated without the history. */
export interface Tally extends TallyKey {
  /** How often it was chosen, and how often only to explore. These do not fade. */
  readonly tries: number;
  readonly explored: number;
  /** Outcomes and the sum of their qualities, both fading. */
  readonly outcomes: number;
  readonly quality: number;
  /** Calls and the sums of their cost and duration, all fading. */
  readonly calls: number;
  readonly cost: number;
  readonly latencyMs: number;
  /** When it was last updated. */
  readonly at: number;
}

/** A completed call, known at once. */
export interface ModelCall {
  readonly cost: number;
  readonly latencyMs: number;
  readonly explored: boolean;
  readonly at: number;
}

/** The outcome of a task, often known later than the call. */
export interface TaskOutcome {
  /** 0 if it failed, otherwise how good it was. */
  readonly quality: number;
  /** True if a check or a person confirmed it, false if it is guessed. */
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

/** The tally faded to a later time. A clock that went back fades nothing. */
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

/** Scales a full memory down to its size, so that the newest outcome always has a minimum weight. */
function shareToKeep(weight: number, policy: RoutePolicy): number {
  return weight > policy.memory ? policy.memory / weight : 1;
}

const DAY_MS = 86_400_000;
