import { plural } from "../../lib/text.ts";
import type { TaskAttempt } from "./attempt.ts";
import type { Cycle } from "./cycle.ts";
import { type Board, type Choice, decide } from "./decide.ts";
import type { Goal } from "./goal.ts";
import type { Task } from "./task.ts";

/** What a cycle does, the rule that decided it, and why. */
export type CycleChoice =
  | (Choice & { readonly reason: string })
  | {
      readonly action: "reflect";
      readonly rule: "reflection-due";
      readonly goal: null;
      readonly task: null;
      readonly reason: string;
    }
  | {
      readonly action: "blocked";
      readonly rule: "attempts-spent";
      readonly goal: Goal;
      /** Null: it is the goal that is blocked, because no plan of it could be used. */
      readonly task: Task | null;
      readonly reason: string;
    };

/**
 * The choice of a cycle: a reflection if one is due, else what `decide` says. A task whose attempts are spent is blocked in place of
 * a further attempt, and so is a goal whose plans failed as often. `plans`: cycles that planned or blocked a goal, the oldest first.
 * `reflection`: why one is due; null if none is.
 */
export function chooseAction(
  board: Board,
  {
    attempts,
    plans,
    mostAttempts,
    reflection,
  }: {
    readonly attempts: readonly TaskAttempt[];
    readonly plans: readonly Cycle[];
    readonly mostAttempts: number;
    readonly reflection: string | null;
  },
): CycleChoice {
  if (reflection !== null)
    return { action: "reflect", rule: "reflection-due", goal: null, task: null, reason: reflection };
  const choice = decide(board);
  if (choice.action === "decompose") {
    const { goal } = choice;
    const failed = listFailedPlans(plans, goal);
    if (failed.length >= mostAttempts)
      return { action: "blocked", rule: "attempts-spent", goal, task: null, reason: explainNoPlan(failed, goal) };
  }
  if (choice.action !== "execute") return { ...choice, reason: choiceReasons[choice.rule] };
  const spent = listCounted(attempts, choice.task);
  if (spent.length < mostAttempts) return { ...choice, reason: choiceReasons[choice.rule] };
  const { goal, task } = choice;
  return { action: "blocked", rule: "attempts-spent", goal, task, reason: explainSpent(spent) };
}

/** The attempts at a task that count: it was worked on without success, or the work ended without a word. */
export function listCounted(attempts: readonly TaskAttempt[], task: Pick<Task, "id" | "metadata">): TaskAttempt[] {
  const since = Number(task.metadata["attemptsFrom"] ?? 0);
  return attempts.filter(
    (one) => one.task === task.id && (one.state === "failed" || one.state === "lost") && one.number > since,
  );
}

/** The plans of a goal that could not be used, since it was blocked for that or got a plan. */
function listFailedPlans(plans: readonly Cycle[], goal: Pick<Goal, "id">): readonly Cycle[] {
  const own = plans.filter((one) => one.goal === goal.id);
  const last = own.findLastIndex(({ action, outcome }) => action === "blocked" || outcome === "planned");
  return own.slice(last + 1).filter(({ outcome }) => outcome === "failed" || outcome === "lost");
}

function explainNoPlan(failed: readonly Cycle[], { id }: Pick<Goal, "id">): string {
  const last = failed.at(-1)?.reason ?? null;
  const why = last === null ? "" : `: ${last}`;
  return `no plan in ${plural(failed.length, "attempt")}${why}; add tasks with oldhand task add ${id}`;
}

function explainSpent(spent: readonly TaskAttempt[]): string {
  const last = spent.at(-1)?.reason ?? null;
  const why = last === null ? "" : `; the last one: ${last}`;
  return `${spent.length} ${spent.length === 1 ? "attempt" : "attempts"} did not reach it${why}`;
}

export const choiceReasons: Readonly<Record<NonNullable<Cycle["rule"]>, string>> = {
  continue: "it is in progress",
  "next-task": "it is the first task that is ready, of the most urgent goal that has one",
  decompose: "it is the most urgent goal, and it has no tasks yet",
  nothing: "there is no goal with something to do",
  "reflection-due": "a reflection is due",
  "attempts-spent": "its attempts are spent",
};
