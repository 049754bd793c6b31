import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TaskAttempt } from "../../../../domain/goal/attempt.ts";
import type { Goal } from "../../../../domain/goal/goal.ts";
import { worktreesIn } from "../../../../converse/tools/own-paths.ts";
import { attemptBranch, type GoalRepository, goalBranch, openGoalRepository } from "./goal-repository.ts";
import { joinWork } from "./join-work.ts";

/** Where an attempt is worked on. */
export interface WorkPlace {
  /** The worktree, or an empty folder if the goal has none. */
  readonly folder: string;
  /** Null without a repository. */
  readonly base: string | null;
  readonly branch: string | null;
  /** What whoever works there must know, a sentence each. */
  readonly notes: readonly string[];
}

/** The same for the same attempt. */
export function placeOf(
  home: string,
  goal: Goal,
  { task, number }: Pick<TaskAttempt, "task" | "number">,
): Pick<WorkPlace, "folder" | "branch"> {
  return {
    folder: join(worktreesIn(home), `${task}-${number}`),
    branch: goal.folder === null ? null : attemptBranch(task, number),
  };
}

/** Makes the worktree of an attempt, on a branch of its own that begins where the earlier work of the goal ended. */
export async function openPlace(
  home: string,
  goal: Goal,
  attempt: Pick<TaskAttempt, "task" | "number">,
  earlier: readonly TaskAttempt[],
): Promise<WorkPlace> {
  const { folder, branch } = placeOf(home, goal, attempt);
  mkdirSync(worktreesIn(home), { recursive: true, mode: 0o700 });
  rmSync(folder, { recursive: true, force: true });
  if (goal.folder === null || branch === null) {
    mkdirSync(folder);
    return { folder: realpathSync(folder), base: null, branch: null, notes: [] };
  }
  const repository = await openGoalRepository(goal.folder);
  await joinWork(repository, goal.id, earlier);
  const { base, notes } = await findBase(repository, goal.id);
  await repository.ask(["worktree", "prune"]);
  const real = join(realpathSync(worktreesIn(home)), `${attempt.task}-${attempt.number}`);
  await repository.git(["worktree", "add", "--quiet", "-B", branch, real, base]);
  return { folder: real, base, branch, notes };
}

/** The owner's last commit with the goal's work on it. The owner's branch is only read. */
async function findBase(
  repository: GoalRepository,
  goal: string,
): Promise<{ readonly base: string; readonly notes: readonly string[] }> {
  const head = await repository.readCommit("HEAD");
  const done = await repository.readCommit(`refs/heads/${goalBranch(goal)}`);
  if (head === null && done === null) return { base: await makeFirstCommit(repository), notes: [] };
  if (head === null || done === null) return { base: head ?? done ?? "", notes: [] };
  if (await repository.isAncestor(head, done)) return { base: done, notes: [] };
  if (await repository.isAncestor(done, head)) return { base: head, notes: [] };
  const merged = await repository.ask(["merge-tree", "--write-tree", done, head]);
  const tree = merged.stdout.split("\n")[0] ?? "";
  if (!merged.ok)
    return {
      base: done,
      notes: [
        `The owner's branch has commits that conflict with the work on this goal (branch ${goalBranch(goal)}), so they are not here. Say so in your report.`,
      ],
    };
  const message = `Merge the owner's commits into the work on ${goal}`;
  return { base: await repository.git(["commit-tree", tree, "-p", done, "-p", head, "-m", message]), notes: [] };
}

/** Of a repository without commits. */
async function makeFirstCommit(repository: GoalRepository): Promise<string> {
  const tree = await repository.git(["mktree"]);
  return repository.git(["commit-tree", tree, "-m", "Begin"]);
}
