import { existsSync } from "node:fs";
import type { Goal } from "../../../../domain/goal/goal.ts";
import { thisMachine } from "../../../../config.ts";
import { runGit } from "../../../../lib/run-git.ts";
import { readCommit } from "../../../../record/goals/read-commit.ts";
import { goalBranch } from "./goal-repository.ts";

/** The branch of a goal, if it is there and has commits that the folder's last commit does not have; else null. */
export async function findUnmergedBranch({ id, folder }: Pick<Goal, "id" | "folder">): Promise<string | null> {
  if (folder === null || !existsSync(folder)) return null;
  const branch = goalBranch(id);
  const commit = await readCommit(folder, `refs/heads/${branch}`);
  return commit !== null && !(await isInHead(folder, commit)) ? branch : null;
}

/** Whether the last commit of a folder has this commit. */
export function isInHead(folder: string, commit: string): Promise<boolean> {
  return isBefore(folder, commit, "HEAD");
}

export async function isBefore(folder: string, first: string, then: string): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", first, then];
  return (await runGit({ folder, args, path: thisMachine().env["PATH"] })).ok;
}
