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
  /** How strongly the latest verdicts suggest that the quality fell, and the verdicts since then with their sum; fading. */
  readonly fall: number;
  readonly fallOutcomes: number;
  readonly fallQuality: number;
  /** The mean quality before the last fall, and when it was noticed. */
  readonly fellFrom: number | null;
  readonly fellAt: number | null;
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
  const noFall = { fall: 0, fallOutcomes: 0, fallQuality: 0, fellFrom: null, fellAt: null };
  return { ...key, ...none, ...noFall, latencyMs: 0, at };
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
  const quality = Math.min(1, Math.max(0, outcome.quality));
  const after = {
    ...before,
    outcomes: (before.outcomes + weight) * kept,
    quality: (before.quality + weight * quality) * kept,
    judged: (before.judged + (outcome.verified ? weight : 0)) * kept,
    fallOutcomes: before.fallOutcomes * kept,
    fallQuality: before.fallQuality * kept,
  };
  return outcome.verified
    ? noteFall(after, { before: meanBeforeFall(before), quality, at: outcome.at }, policy)
    : after;
}

/**
 * Notices that a model got worse (Page's test): the memory is long, so its mean would follow only slowly. If the verdicts since the
 * fall began are clear enough, all earlier ones are forgotten.
 */
function noteFall(
  tally: Tally,
  of: { readonly before: number | null; readonly quality: number; readonly at: number },
  policy: RoutePolicy,
): Tally {
  if (of.before === null) return tally;
  const fall = tally.fall + of.before - of.quality - policy.fallSlack;
  if (fall <= 0) return { ...tally, fall: 0, fallOutcomes: 0, fallQuality: 0 };
  const [fallOutcomes, fallQuality] = [tally.fallOutcomes + 1, tally.fallQuality + of.quality];
  if (fall < policy.fallBound) return { ...tally, fall, fallOutcomes, fallQuality };
  return {
    ...tally,
    outcomes: fallOutcomes,
    quality: fallQuality,
    judged: fallOutcomes,
    fall: 0,
    fallOutcomes: 0,
    fallQuality: 0,
    fellFrom: of.before,
    fellAt: of.at,
  };
}

/** Without the verdicts since a fall may have begun. Null if there are too few to compare with. */
function meanBeforeFall({ outcomes, quality, fallOutcomes, fallQuality }: Tally): number | null {
  const rest = outcomes - fallOutcomes;
  return rest < FEW ? null : Math.min(1, Math.max(0, (quality - fallQuality) / rest));
}

const FEW = 20;

/** Takes back an outcome that a better one replaces: a guess after a verdict, or a verdict after a later one. */
export function removeOutcome(tally: Tally, outcome: TaskOutcome, now: number, policy: RoutePolicy): Tally {
  const before = fadeTally(tally, now, policy);
  const full = (outcome.verified ? 1 : policy.guessWeight) * shareLeft(now - outcome.at, policy);
  const weight = Math.min(full, before.outcomes);
  const outcomes = before.outcomes - weight;
  return {
    ...before,
    ...(outcome.verified ? withoutFall(before, outcome.quality, policy) : {}),
    outcomes,
    quality: Math.min(outcomes, Math.max(0, before.quality - weight * outcome.quality)),
    judged: Math.min(outcomes, Math.max(0, before.judged - (outcome.verified ? weight : 0))),
  };
}

/** Takes back what a verdict added to a suspected fall. */
function withoutFall(tally: Tally, quality: number, policy: RoutePolicy): Partial<Tally> {
  const before = meanBeforeFall(tally);
  if (before === null || tally.fallOutcomes < 1) return {};
  const fall = tally.fall - (before - quality - policy.fallSlack);
  if (fall <= 0) return { fall: 0, fallOutcomes: 0, fallQuality: 0 };
  return { fall, fallOutcomes: tally.fallOutcomes - 1, fallQuality: Math.max(0, tally.fallQuality - quality) };
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
    fall: tally.fall * left,
    fallOutcomes: tally.fallOutcomes * left,
    fallQuality: tally.fallQuality * left,
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
