import { existsSync } from "node:fs";
import type { Context } from "../../../context.ts";
import type { Task } from "../../../domain/goal/task.ts";
import { readCommit } from "../../../record/goals/read-commit.ts";
import { listTaskAttempts } from "../../../store/goals/attempts.ts";
import { readGoal } from "../../../store/nouns/goals.ts";
import { findUnmergedBranch, isBefore, isInHead } from "../cycle/places/find-branch.ts";

export interface LeftWork {
  readonly commit: string;
  readonly branch: string;
}

/**
 * What cycles left of a task and the owner has not merged: the last attempt that was verified or claimed, else the goal's branch if it
 * goes on from the folder's last commit. Null: the work is in the folder.
 */
export async function findWork({ db }: Pick<Context, "db">, task: Task): Promise<LeftWork | null> {
  const goal = await readGoal(db, task.goal);
  const folder = goal?.folder ?? null;
  if (goal === null || folder === null || !existsSync(folder)) return null;
  const last = (await listTaskAttempts(db, { task: task.id })).findLast(
    ({ state }) => state === "verified" || state === "claimed",
  );
  if (last !== undefined && last.commit !== null && (await readCommit(folder, last.commit)) !== null)
    return (await isInHead(folder, last.commit)) ? null : { commit: last.commit, branch: last.branch ?? last.commit };
  const branch = await findUnmergedBranch(goal);
  const commit = branch === null ? null : await readCommit(folder, `refs/heads/${branch}`);
  return branch !== null && commit !== null && (await isBefore(folder, "HEAD", commit)) ? { commit, branch } : null;
}
