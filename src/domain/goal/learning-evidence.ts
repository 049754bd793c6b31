import type { Memory } from "../memory/memory.ts";
import type { TaskAttempt } from "./attempt.ts";
import { normaliseStrategy } from "./strategy.ts";
import type { Task } from "./task.ts";

/** What came of work since a learning was last checked. */
export interface WorkOutcomes {
  /** Attempts that a check has judged. */
  readonly attempts: readonly Pick<TaskAttempt, "id" | "task" | "goal" | "state" | "strategy" | "reason" | "endedAt">[];
  /** Tasks whose check says that they are done. */
  readonly tasks: readonly Pick<Task, "id" | "goal" | "result" | "reason" | "metadata" | "proof" | "endedAt">[];
}

export interface LearningVerdict {
  readonly verdict: "confirmed" | "contradicted" | "unchanged";
  /** The ids of the attempts and tasks that show it. */
  readonly because: readonly string[];
}

/**
 * Checks a learning against what happened. Attempts at one task are one piece of evidence: a task that a strategy solved in the
 * third attempt speaks for it, and one that failed three times speaks against it once. If as much speaks for it as against it, it
 * stays as it is. A learning that names no strategy cannot be contradicted by a failure: nobody knows what it was due to.
 */
export function checkLearning(
  learning: Pick<Memory, "id" | "text" | "category" | "scope" | "tags">,
  outcomes: WorkOutcomes,
  since: number,
): LearningVerdict {
  const isMeant = (one: { readonly goal: string; readonly endedAt: number | null }) =>
    (one.endedAt ?? 0) > since && concernsGoal(learning, one.goal);
  const attempts = outcomes.attempts.filter(isMeant);
  const tasks = outcomes.tasks.filter((one) => one.proof === "verified" && isMeant(one));
  return isStrategy(learning) ? checkStrategy(learning, attempts) : findCitations(learning, { attempts, tasks });
}

/** It says how to work, so attempts that worked so show if it is true. */
export function isStrategy({ text, category }: Pick<Memory, "text" | "category">): boolean {
  return category === "strategy" || /^\s*strategy\s*:/i.test(text);
}

/** A learning of a goal is about this goal; one with goals among its tags is about those; any other one is about all goals. */
function concernsGoal({ scope, tags }: Pick<Memory, "scope" | "tags">, goal: string): boolean {
  if (scope.kind === "goal") return scope.name === goal;
  const goals = tags.filter((tag) => tag.startsWith("goal_"));
  return goals.length === 0 || goals.includes(goal);
}

/** It says that a strategy does not work, so work that failed by it confirms it. */
export function claimsFailure(text: string): boolean {
  const [, outcome = ""] = /\boutcome\s*:(.*)$/is.exec(text) ?? [];
  return /\b(?:fail(?:s|ed|ure)?|useless|worse|no (?:progress|effect)|(?:did|does|do) ?n[o']t)\b/i.test(outcome);
}

function checkStrategy({ text }: Pick<Memory, "text">, attempts: WorkOutcomes["attempts"]): LearningVerdict {
  const key = normaliseStrategy(text);
  const named = attempts.filter(
    ({ strategy }) => strategy !== null && key !== "" && normaliseStrategy(strategy) === key,
  );
  const solved = new Set(named.filter(({ state }) => state === "verified").map(({ task }) => task));
  const failed = new Set(
    named.filter(({ state, task }) => state === "failed" && !solved.has(task)).map(({ task }) => task),
  );
  if (solved.size === failed.size) return { verdict: "unchanged", because: [] };
  const works = solved.size > failed.size;
  const speaking = named.filter(({ state }) => state === (works ? "verified" : "failed"));
  const verdict = works === claimsFailure(text) ? "contradicted" : "confirmed";
  return { verdict, because: speaking.map(({ id }) => id) };
}

/** Work that was verified and names the learning's id. */
function findCitations({ id }: Pick<Memory, "id">, { attempts, tasks }: WorkOutcomes): LearningVerdict {
  const cites = (texts: readonly (string | null)[]) => texts.some((text) => text !== null && namesId(text, id));
  const because = [
    ...attempts
      .filter(({ state, strategy, reason }) => state === "verified" && cites([strategy, reason]))
      .map((one) => one.id),
    ...tasks
      .filter(({ result, reason, metadata }) => cites([result, reason, JSON.stringify(metadata["learnings"] ?? null)]))
      .map((one) => one.id),
  ];
  return { verdict: because.length === 0 ? "unchanged" : "confirmed", because };
}

/** As a whole word: an id may be the beginning of another one. */
function namesId(text: string, id: string): boolean {
  return text.split(/[^\w-]+/).includes(id);
}
