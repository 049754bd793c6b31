import { mergeMemories, surestFirst } from "../../../distil/maintenance/consolidate.ts";
import { hasEnded } from "../../../domain/goal/goal.ts";
import { checkLearning, claimsFailure, isStrategy } from "../../../domain/goal/learning-evidence.ts";
import { mapSolvedGoals, normaliseStrategy } from "../../../domain/goal/strategy.ts";
import {
  capFinished,
  confirmMemory,
  contradictMemory,
  generaliseMemory,
  supersedeMemory,
} from "../../../domain/memory/decisions.ts";
import { type Memory, sweepMemory } from "../../../domain/memory/memory.ts";
import type { Policy } from "../../../domain/policy.ts";
import { HOUR } from "../../../lib/clock.ts";
import { plural } from "../../../lib/text.ts";
import type { ReflectionFacts } from "./read-facts.ts";
import { listCandidates } from "./similar-learnings.ts";

/** One change of a learning, with what shows that it is right. */
export interface LearningStep {
  readonly kind: "confirmed" | "contradicted" | "generalised" | "capped" | "superseded" | "kept" | "stale";
  readonly before: Memory;
  readonly after: Memory;
  /** Ids: of attempts and tasks, of goals, or of learnings. */
  readonly because: readonly string[];
  readonly note: string;
}

export interface LearningPlan {
  /** In the order in which they are written. A learning may change more than once. */
  readonly steps: readonly LearningStep[];
  readonly checked: readonly string[];
}

/** What becomes of the learnings. Pinned ones are the owner's to change. */
export function planLearnings(facts: ReflectionFacts, policy: Policy, now: number): LearningPlan {
  const current = new Map(facts.learnings.filter(({ pinned }) => !pinned).map((one) => [one.id, one]));
  const steps: LearningStep[] = [];
  const change = (step: Omit<LearningStep, "before">) => {
    const before = current.get(step.after.id);
    if (before === undefined || before === step.after) return;
    current.set(step.after.id, step.after);
    steps.push({ ...step, before });
  };
  const checked = chooseLearnings(facts, policy.memory);
  for (const one of checked) {
    const { verdict, because } = checkLearning(one, facts.outcomes, facts.lastChecks.get(one.id) ?? one.createdAt);
    if (verdict === "unchanged") continue;
    const decide = verdict === "confirmed" ? confirmMemory : contradictMemory;
    change({ kind: verdict, after: decide(one, policy.memory), because, note: noteVerdict(verdict, because) });
  }
  generalise(facts, current, change);
  capFinishedGoals(facts, policy, { current, change });
  mergeDuplicates(facts, policy, { current, change });
  sweepStale(facts, policy, { current, change, now });
  return { steps, checked: checked.map(({ id }) => id) };
}

type Change = (step: Omit<LearningStep, "before">) => void;
interface Working {
  readonly current: ReadonlyMap<string, Memory>;
  readonly change: Change;
}

/** Those of goals and those valid everywhere, the least recently checked first. */
function chooseLearnings({ learnings, lastChecks }: ReflectionFacts, policy: Policy["memory"]): readonly Memory[] {
  const checkedAt = ({ id }: Memory) => lastChecks.get(id) ?? 0;
  return learnings
    .filter(({ scope, pinned }) => !pinned && (scope.kind === "goal" || scope.kind === "global"))
    .toSorted((a, b) => checkedAt(a) - checkedAt(b) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    .slice(0, policy.checkedPerReflection);
}

function noteVerdict(verdict: "confirmed" | "contradicted", because: readonly string[]): string {
  const named = because.slice(0, MOST_NAMED).join(", ");
  const more = because.length > MOST_NAMED ? ` and ${because.length - MOST_NAMED} more` : "";
  return `${verdict} by ${named}${more}`;
}

const MOST_NAMED = 10;

/** A strategy that was verified in two goals holds everywhere. */
function generalise({ tallies }: ReflectionFacts, current: ReadonlyMap<string, Memory>, change: Change): void {
  const solved = mapSolvedGoals(tallies);
  for (const one of current.values()) {
    if (one.scope.kind !== "goal" || !holdsElsewhere(one, solved) || one.trust === "external") continue;
    const goals = solved.get(normaliseStrategy(one.text)) ?? [];
    const note = `its strategy was verified in ${goals.slice(0, MOST_NAMED).join(", ")}`;
    change({ kind: "generalised", after: generaliseMemory(one), because: goals, note });
  }
}

function holdsElsewhere(one: Memory, solved: ReadonlyMap<string, readonly string[]>): boolean {
  if (!isStrategy(one) || claimsFailure(one.text)) return false;
  return (solved.get(normaliseStrategy(one.text)) ?? []).length > 1;
}

function capFinishedGoals(facts: ReflectionFacts, policy: Policy, { current, change }: Working): void {
  const ended = new Set(facts.goals.filter(hasEnded).map(({ id }) => id));
  const solved = mapSolvedGoals(facts.tallies);
  for (const one of current.values()) {
    if (one.scope.kind !== "goal" || !ended.has(one.scope.name)) continue;
    // One with a key stays in its goal, but holds elsewhere all the same.
    if (holdsElsewhere(one, solved)) continue;
    const note = `${one.scope.name} has ended`;
    change({ kind: "capped", after: capFinished(one, policy.memory), because: [one.scope.name], note });
  }
}

/**
 * Merges learnings that say the same. Only what is new, or valid in another scope since, is compared: what the owner has taken
 * apart again stays apart.
 */
function mergeDuplicates(facts: ReflectionFacts, policy: Policy, { current, change }: Working): void {
  const before = new Map(facts.learnings.map((one) => [one.id, one]));
  const all = [...current.values()].filter(({ status }) => status === "active");
  const isNew = (one: Memory) =>
    facts.reflectedAt === null ||
    one.createdAt > facts.reflectedAt ||
    before.get(one.id)?.scope.kind !== one.scope.kind;
  const fresh = all.filter(isNew).toSorted(surestFirst).slice(0, MOST_NEW);
  const taken = new Set<string>();
  for (const { memory, near } of listCandidates(fresh, all, {
    vectors: facts.vectors,
    nearDuplicate: policy.memory.nearDuplicate,
  })) {
    if (taken.has(memory.id)) continue;
    const same = near.filter(
      (one) => !taken.has(one.id) && facts.similarity(memory, one) >= policy.memory.nearDuplicate,
    );
    if (same.length === 0) continue;
    const [kept, ...others] = [memory, ...same].toSorted(surestFirst);
    if (kept === undefined) continue;
    for (const one of [kept, ...others]) taken.add(one.id);
    for (const one of others)
      change({ kind: "superseded", after: supersedeMemory(one), because: [kept.id], note: `${kept.id} says the same` });
    const ids = others.map(({ id }) => id);
    const note = `${ids.slice(0, MOST_NAMED).join(", ")} ${ids.length === 1 ? "says" : "say"} the same`;
    change({ kind: "kept", after: mergeMemories(kept, others), because: ids, note });
  }
}

/** In one reflection; more new learnings than this are not likely between two. */
const MOST_NEW = 500;

/** One sweep for each reflection that is due: reflections by hand, one after the other, make nothing older. */
function sweepStale(
  facts: ReflectionFacts,
  policy: Policy,
  { current, change, now }: Working & { readonly now: number },
): void {
  const isDue = facts.reflectedAt === null || Math.abs(now - facts.reflectedAt) >= policy.goals.reflectHours * HOUR;
  if (!isDue) return;
  const before = new Map(facts.learnings.map((one) => [one.id, one]));
  for (const one of current.values()) {
    // What changed in this reflection is not stale.
    if (before.get(one.id) !== one) continue;
    const sign = facts.lastSigns.get(one.id) ?? 0;
    const note = `not used or confirmed for ${plural(policy.memory.staleDays, "day")}`;
    change({ kind: "stale", after: sweepMemory(one, sign, policy.memory, now), because: [], note });
  }
}
