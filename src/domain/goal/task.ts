import type { Check } from "./check.ts";

export const taskStatuses = ["pending", "in-progress", "done", "blocked", "dropped"] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** `verified`: its check said so. `claimed`: only whoever did it said so. */
export const taskProofs = ["verified", "claimed"] as const;
export type TaskProof = (typeof taskProofs)[number];

/** What a task asks of a model: to plan, to execute a plan, or only to look something up. */
export const taskTiers = ["plan", "execute", "look-up"] as const;
export type TaskTier = (typeof taskTiers)[number];

/** One step towards a goal, small enough for one cycle. Its changes are journalled. */
export interface Task {
  readonly id: string;
  readonly goal: string;
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  /** How it is known that it is done; null until then. */
  readonly proof: TaskProof | null;
  readonly check: Check;
  /** Of the check, made with the task: a check that was changed behind our back has another. */
  readonly checkHash: string;
  /** The commit of the goal's folder when the task was made: on it, the check must fail. Null: there was none. */
  readonly base: string | null;
  /** Its place among the tasks of its goal. */
  readonly position: number;
  /** Tasks that must be done before this one is begun. */
  readonly dependsOn: readonly string[];
  readonly tier: TaskTier;
  readonly createdBy: string;
  /** What came of it, in a sentence. */
  readonly result: string | null;
  /** Why it is blocked or dropped, or what its check found missing. */
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly madeAt: number;
  readonly endedAt: number | null;
}
