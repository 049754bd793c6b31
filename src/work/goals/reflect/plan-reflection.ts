import { type Blocker, findBlockers } from "../../../domain/goal/blockers.ts";
import { hasEnded } from "../../../domain/goal/goal.ts";
import { type FailingStrategy, findFailingStrategies, normaliseStrategy } from "../../../domain/goal/strategy.ts";
import type { Policy } from "../../../domain/policy.ts";
import { groupBy } from "../../../lib/group-by.ts";
import { type LearningPlan, planLearnings } from "./plan-learnings.ts";
import { type GoalProposal, planProposals, type WrittenProposal } from "./plan-proposals.ts";
import type { ReflectionFacts } from "./read-facts.ts";

/** Everything that a reflection finds and would change. */
export interface ReflectionPlan extends LearningPlan {
  readonly flagged: readonly FailingStrategy[];
  readonly blockers: readonly Blocker[];
  readonly proposals: readonly GoalProposal[];
  /** Attempts that a check has judged since the last reflection. */
  readonly judged: { readonly verified: number; readonly failed: number };
}

/** Decides without writing. The same facts give the same plan. */
export async function planReflection(
  facts: ReflectionFacts,
  written: { readonly model: string | null; readonly proposals: readonly WrittenProposal[] },
  at: { readonly policy: Policy; readonly now: number },
): Promise<ReflectionPlan> {
  const { policy, now } = at;
  const blockers = findBlockers(facts);
  const since = facts.reflectedAt ?? 0;
  const recent = facts.outcomes.attempts.filter(({ endedAt }) => (endedAt ?? 0) > since);
  return {
    ...planLearnings(facts, policy, now),
    flagged: flagStrategies(facts, policy),
    blockers,
    proposals: await planProposals(facts, { blockers, written: written.proposals, model: written.model }, policy),
    judged: {
      verified: recent.filter(({ state }) => state === "verified").length,
      failed: recent.filter(({ state }) => state === "failed").length,
    },
  };
}

/** Strategies that fail everywhere, and those that fail in a goal that has not ended, even if they work elsewhere. */
function flagStrategies({ goals, tallies }: ReflectionFacts, { memory }: Policy): readonly FailingStrategy[] {
  const open = new Set(goals.filter((goal) => !hasEnded(goal)).map(({ id }) => id));
  const found = [
    ...findFailingStrategies(tallies, memory),
    ...[...groupBy(tallies, ({ goal }) => goal)].flatMap(([goal, own]) =>
      open.has(goal) ? findFailingStrategies(own, memory) : [],
    ),
  ];
  const worst = found.toSorted((a, b) => b.failures - a.failures || (a.strategy < b.strategy ? -1 : 1));
  return [...groupBy(worst, ({ strategy }) => normaliseStrategy(strategy)).values()].flatMap(([first]) => first ?? []);
}
