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
  /** The part of the outcomes that is verified, not guessed; fading. */
  readonly judged: number;
  /** Calls and the sums of their cost and duration, all fading. */
  readonly calls: number;
  readonly cost: number;
  /** The sum of cost divided by expected cost. Unlike the cost, it says something about prompts of any length. */
  readonly costRatio: number;
  readonly latencyMs: number;
  /** When it was last updated. */
  readonly at: number;
}

/** A completed call, known at once. */
export interface ModelCall {
  readonly cost: number;
  /** The cost divided by the cost that its list price and its prompt let expect; 1 if it says nothing about that. */
  readonly costRatio: number;
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
  const none = { tries: 0, explored: 0, outcomes: 0, quality: 0, judged: 0, calls: 0, cost: 0, costRatio: 0 };
  return { ...key, ...none, latencyMs: 0, at };
}

/** A free call, or one whose price is unknown, says nothing about the next cost. */
export function toCostRatio(cost: number, expected: number | undefined): number {
  return expected !== undefined && expected > 0 ? cost / expected : 1;
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
    costRatio: (before.costRatio + call.costRatio) * kept,
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
    judged: (before.judged + (outcome.verified ? weight : 0)) * kept,
  };
}

/** Takes back an outcome that a better one replaces: a guess after a verdict, or a verdict after a later one. */
export function removeOutcome(tally: Tally, outcome: TaskOutcome, now: number, policy: RoutePolicy): Tally {
  const before = fadeTally(tally, now, policy);
  const full = (outcome.verified ? 1 : policy.guessWeight) * shareLeft(now - outcome.at, policy);
  const weight = Math.min(full, before.outcomes);
  const outcomes = before.outcomes - weight;
  return {
    ...before,
    outcomes,
    quality: Math.min(outcomes, Math.max(0, before.quality - weight * outcome.quality)),
    judged: Math.min(outcomes, Math.max(0, before.judged - (outcome.verified ? weight : 0))),
  };
}

/** The tally faded to a later time. A clock that went back fades nothing. */
export function fadeTally(tally: Tally, now: number, policy: RoutePolicy): Tally {
  if (now <= tally.at) return tally;
  const left = shareLeft(now - tally.at, policy);
  return {
    ...tally,
    outcomes: tally.outcomes * left,
    quality: tally.quality * left,
    judged: tally.judged * left,
    calls: tally.calls * left,
    cost: tally.cost * left,
    costRatio: tally.costRatio * left,
    latencyMs: tally.latencyMs * left,
    at: now,
  };
}

/** Scales a full memory down to its size, so that the newest outcome always has a minimum weight. */
function shareToKeep(weight: number, policy: RoutePolicy): number {
  return weight > policy.memory ? policy.memory / weight : 1;
}

function shareLeft(ms: number, policy: RoutePolicy): number {
  return 2 ** (-Math.max(0, ms) / DAY_MS / policy.halfLifeDays);
}

const DAY_MS = 86_400_000;
