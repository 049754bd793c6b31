import { existsSync, rmSync } from "node:fs";
import type { Context } from "../../../../context.ts";
import type { TaskAttempt } from "../../../../domain/goal/attempt.ts";
import { DAY } from "../../../../lib/clock.ts";
import { OldhandError } from "../../../../lib/errors.ts";
import { isWorktreeOf } from "../../../../converse/tools/own-paths.ts";
import { clearAttemptPlaces, listTaskAttempts } from "../../../../store/goals/attempts.ts";
import { listGoals } from "../../../../store/nouns/goals.ts";
import {
  type GoalRepository,
  goalBranch,
  isKnownWorktree,
  openGoalRepository,
  worktreeEnv,
} from "./goal-repository.ts";

type RemoveContext = Pick<Context, "db" | "clock" | "config">;

/**
 * Removes worktrees and branches of attempts that ended long ago. What somebody changed in a worktree since, and work that is in no
 * other branch although it was verified or claimed, stays. Returns how many were removed.
 */
export async function removeOldPlaces(ctx: RemoveContext): Promise<number> {
  const before = ctx.clock.now() - ctx.config.policy.goals.worktreeDays * DAY;
  const goals = new Map((await listGoals(ctx.db)).map((goal) => [goal.id, goal]));
  let removed = 0;
  for (const attempt of await listTaskAttempts(ctx.db)) {
    if (attempt.endedAt === null || attempt.endedAt >= before) continue;
    if (attempt.folder === null && attempt.branch === null) continue;
    const repository = await openOrNull(goals.get(attempt.goal)?.folder ?? null);
    removed += await removePlace(ctx, attempt, repository);
  }
  return removed;
}

/** Null if the repository is not there any more. */
async function openOrNull(folder: string | null): Promise<GoalRepository | null> {
  if (folder === null || !existsSync(folder)) return null;
  try {
    return await openGoalRepository(folder);
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    return null;
  }
}

async function removePlace(
  { db, config }: RemoveContext,
  { id, folder, branch, goal, state, commit }: TaskAttempt,
  repository: GoalRepository | null,
): Promise<number> {
  let isFolderGone = folder === null;
  if (folder !== null && isWorktreeOf(config.home, folder) && !(await hasChanges(repository, folder))) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    await repository?.ask(["worktree", "prune"]);
    await clearAttemptPlaces(db, id, "folder");
    isFolderGone = true;
  }
  if (branch === null || !isFolderGone) return isFolderGone && folder !== null ? 1 : 0;
  const isKept = state === "verified" || state === "claimed";
  const isJoined = repository !== null && commit !== null && (await repository.isAncestor(commit, goalBranch(goal)));
  if (repository !== null && isKept && !isJoined) return 1;
  await repository?.ask(["update-ref", "-d", `refs/heads/${branch}`, ...(commit === null ? [] : [commit])]);
  await clearAttemptPlaces(db, id, "branch");
  return 1;
}

async function hasChanges(repository: GoalRepository | null, folder: string): Promise<boolean> {
  if (repository === null || !isKnownWorktree(repository, folder)) return false;
  const args = ["status", "--porcelain", "--ignore-submodules=all"];
  const { ok, stdout } = await repository.ask(args, worktreeEnv(repository, folder));
  return !ok || stdout.trim() !== "";
}
