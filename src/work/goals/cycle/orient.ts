import type { TaskAttempt } from "../../../domain/goal/attempt.ts";
import { findSnapshotFault } from "../../../domain/goal/check-snapshot.ts";
import type { Cycle } from "../../../domain/goal/cycle.ts";
import type { GoalComment } from "../../../domain/goal/comment.ts";
import type { Board } from "../../../domain/goal/decide.ts";
import { composeSnapshot } from "../../../domain/goal/progress.ts";
import type { Context } from "../../../context.ts";
import { listTaskAttempts } from "../../../store/goals/attempts.ts";
import { listPlanCycles } from "../../../store/goals/cycles.ts";
import { listComments } from "../../../store/goals/comments.ts";
import { readLastSnapshot } from "../../../store/goals/snapshots.ts";
import { countTasksByGoal } from "../../../store/goals/table-counts.ts";
import { listGoals } from "../../../store/nouns/goals.ts";
import { listTasks } from "../../../store/nouns/tasks.ts";
import { findGap, readSnapshotSource } from "./write-snapshot.ts";

/** What a cycle knows before it decides. */
export interface Orientation {
  readonly board: Board;
  readonly attempts: readonly TaskAttempt[];
  /** Cycles that planned or blocked a goal. */
  readonly plans: readonly Cycle[];
  /** Open ones. */
  readonly comments: readonly GoalComment[];
  /** Where all goals stand, as a letter: the last snapshot, or the tables if that cannot be used. */
  readonly letter: string;
  /** Why the last snapshot was not used; null if it was. */
  readonly snapshotFault: string | null;
  /** That no cycle ran for too long, in a sentence; null if all is well. */
  readonly gap: string | null;
}

export async function orient(ctx: Pick<Context, "db" | "clock" | "config">): Promise<Orientation> {
  const { db, clock, config } = ctx;
  const snapshot = await readLastSnapshot(db);
  const age = { now: clock.now(), hours: config.policy.goals.snapshotHours };
  const snapshotFault = findSnapshotFault(snapshot, await countTasksByGoal(db), age);
  const gap = await findGap(ctx);
  return {
    gap,
    board: { goals: await listGoals(db), tasks: await listTasks(db) },
    attempts: await listTaskAttempts(db),
    plans: await listPlanCycles(db),
    comments: await listComments(db, { isOpen: true }),
    letter:
      snapshotFault === null && snapshot !== null
        ? snapshot.content
        : composeSnapshot(await readSnapshotSource(ctx, gap), { id: "", at: clock.now() }).content,
    snapshotFault,
  };
}
