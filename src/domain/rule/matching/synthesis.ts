import { wilsonLower } from "../../proof/wilson.ts";
import { CALL_TRAIT } from "../../shell/traits.ts";
import { hasTrait } from "../../shell/variables.ts";

/** A recorded call, labelled for mining: the traits it had, and whether it failed. */
export interface LabelledCall {
  readonly failed: boolean;
  readonly session: string;
  readonly traits: ReadonlySet<string>;
}

/** A condition that separates failing calls of one cause from those that worked. */
export interface MatcherCondition {
  readonly has: readonly string[];
  readonly lacks: readonly string[];
  /** How many failing calls and how many working calls it holds for. */
  readonly hits: number;
  readonly falseAlarms: number;
  readonly lower: number;
}

export interface SynthesisPolicy {
  readonly minCount: number;
  readonly minSessions: number;
  /** A condition with a lower bound of precision below this is discarded. */
  readonly proposePrecision: number;
}

/** A longer condition would describe the calls, not their cause. */
const MOST_TRAITS = 3;
/** Each further trait must improve the lower bound by this much. */
const LEAST_GAIN = 0.05;
/** From this lower bound on, no more traits are added. */
const SURE = 0.9;

/**
 * Finds the smallest condition that separates failing calls from working ones. Greedy: starts empty, adds the trait
 * that raises the lower bound of precision most, then removes traits that turn out to be unnecessary. Null if nothing
 * separates them. Deterministic: ties go to the larger coverage, then to the alphabet.
 */
export function synthesiseCondition(
  failed: readonly LabelledCall[],
  worked: readonly LabelledCall[],
  policy: SynthesisPolicy,
): MatcherCondition | null {
  let best = scored({ has: [], lacks: [] }, failed, worked);
  if (!isSupported(best, policy)) return null;
  while (best.has.length + best.lacks.length < MOST_TRAITS && best.lower < SURE && best.worked.length > 0) {
    const next = bestStep(best, policy);
    if (next === null || next.lower < best.lower + LEAST_GAIN) break;
    best = next;
  }
  const small = withoutNeedless(best, failed, worked, policy);
  return small.lower < policy.proposePrecision
    ? null
    : {
        has: small.has,
        lacks: small.lacks,
        hits: small.failed.length,
        falseAlarms: small.worked.length,
        lower: small.lower,
      };
}

interface Scored {
  readonly has: readonly string[];
  readonly lacks: readonly string[];
  readonly failed: readonly LabelledCall[];
  readonly worked: readonly LabelledCall[];
  readonly lower: number;
}

function scored(
  condition: Pick<MatcherCondition, "has" | "lacks">,
  failed: readonly LabelledCall[],
  worked: readonly LabelledCall[],
): Scored {
  const anything = condition.has.length + condition.lacks.length === 0;
  const [hits, alarms] = [failed, worked].map((tries) =>
    anything ? tries : tries.filter((one) => holdsOf(condition, one.traits)),
  );
  return {
    has: condition.has.toSorted(),
    lacks: condition.lacks.toSorted(),
    failed: hits ?? [],
    worked: alarms ?? [],
    lower: wilsonLower(hits?.length ?? 0, (hits?.length ?? 0) + (alarms?.length ?? 0)),
  };
}

export function holdsOf(condition: Pick<MatcherCondition, "has" | "lacks">, traits: ReadonlySet<string>): boolean {
  return condition.has.every((trait) => traits.has(trait)) && !condition.lacks.some((trait) => hasTrait(traits, trait));
}

function isSupported(one: Scored, policy: SynthesisPolicy): boolean {
  return (
    one.failed.length >= policy.minCount && new Set(one.failed.map((each) => each.session)).size >= policy.minSessions
  );
}

function bestStep(from: Scored, policy: SynthesisPolicy): Scored | null {
  const inFailed = counted(from.failed);
  const inWorked = countedOnce(from.worked);
  const [failed, worked] = [from.failed.length, from.worked.length];
  const choices: Choice[] = [];
  const consider = (kind: "has" | "lacks", trait: string, hits: number, alarms: number): void => {
    if (hits >= policy.minCount) choices.push({ kind, trait, lower: wilsonLower(hits, hits + alarms), hits });
  };
  for (const [trait, hits] of inFailed)
    // The whole call would describe the calls, not their cause.
    if (!from.has.includes(trait) && !trait.startsWith(CALL_TRAIT))
      consider("has", trait, hits, inWorked.get(trait) ?? 0);
  // An absent trait counts only if it is common among working calls and is not specific to one case.
  for (const [trait, alarms] of inWorked)
    if (alarms >= Math.max(policy.minCount, worked / 2) && mayBeMissed(trait) && !from.lacks.includes(trait))
      consider("lacks", trait, failed - (inFailed.get(trait) ?? 0), worked - alarms);
  // The best may come from a single session, so the next ones are tried too.
  for (const { kind, trait } of choices.toSorted((a, b) => (isBetter(a, b) ? -1 : 1)).slice(0, TRIED)) {
    const next = scored(
      kind === "has"
        ? { has: [...from.has, trait], lacks: from.lacks }
        : { has: from.has, lacks: [...from.lacks, trait] },
      from.failed,
      from.worked,
    );
    if (isSupported(next, policy)) return next;
  }
  return null;
}

const TRIED = 8;

function mayBeMissed(trait: string): boolean {
  return /^(?:flag|field|program|under|enters|in|after|sets) /.test(trait);
}

interface Choice {
  readonly kind: "has" | "lacks";
  readonly trait: string;
  readonly lower: number;
  readonly hits: number;
}

function isBetter(a: Choice, b: Choice): boolean {
  if (a.lower !== b.lower) return a.lower > b.lower;
  if (a.hits !== b.hits) return a.hits > b.hits;
  if (a.kind !== b.kind) return a.kind === "has";
  return a.trait < b.trait;
}

function withoutNeedless(
  one: Scored,
  failed: readonly LabelledCall[],
  worked: readonly LabelledCall[],
  policy: SynthesisPolicy,
): Scored {
  let kept = one;
  for (const trait of [...one.lacks, ...one.has]) {
    const less = scored(
      { has: kept.has.filter((each) => each !== trait), lacks: kept.lacks.filter((each) => each !== trait) },
      failed,
      worked,
    );
    if (less.lower >= kept.lower && isSupported(less, policy)) kept = less;
  }
  return kept;
}

/** Cached, because all causes of a group are compared with the same working calls. */
const known = new WeakMap<readonly LabelledCall[], ReadonlyMap<string, number>>();

function countedOnce(tries: readonly LabelledCall[]): ReadonlyMap<string, number> {
  const before = known.get(tries);
  if (before) return before;
  const counts = counted(tries);
  known.set(tries, counts);
  return counts;
}

function counted(tries: readonly LabelledCall[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of tries) for (const trait of one.traits) counts.set(trait, (counts.get(trait) ?? 0) + 1);
  return counts;
}
