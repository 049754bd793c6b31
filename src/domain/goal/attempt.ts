/**
 * How one try at a task stands:
 *
 * - `open`: a cycle works on it now;
 * - `verified`, `claimed`: the task is done;
 * - `failed`: it was worked on, and its check says no;
 * - `deferred`: nobody could work on it, such as for a quota of a provider; it does not count;
 * - `lost`: the cycle ended without a word, such as by kill -9.
 */
export const taskAttemptStates = ["open", "verified", "claimed", "failed", "deferred", "lost"] as const;
export type TaskAttemptState = (typeof taskAttemptStates)[number];

/** One try at a task, by one cycle, on a branch of its own. */
export interface TaskAttempt {
  readonly id: string;
  readonly task: string;
  readonly goal: string;
  /** 1 is the first of its task. */
  readonly number: number;
  readonly cycle: string;
  readonly state: TaskAttemptState;
  /** How it was tried, in a few words of whoever did it; null until it was said. */
  readonly strategy: string | null;
  /** The commit at which it began; null: the goal has no folder. */
  readonly base: string | null;
  readonly branch: string | null;
  /** The worktree; null: there is none, or it was removed. */
  readonly folder: string | null;
  /** The session of the agent that did it. */
  readonly session: string | null;
  /** What it left on its branch. */
  readonly commit: string | null;
  readonly model: string | null;
  /** In US dollars. */
  readonly cost: number;
  readonly reason: string | null;
  readonly beganAt: number;
  readonly endedAt: number | null;
}
