import type { TaskAttempt } from "../../../../domain/goal/attempt.ts";
import { type GoalRepository, goalBranch } from "./goal-repository.ts";

/**
 * Moves the goal's branch to the work that was verified or claimed, in its order. What is there already stays, so it may be done
 * again: after a crash, the next attempt does it. Returns a sentence for each attempt that does not fit.
 */
export async function joinWork(
  repository: GoalRepository,
  goal: string,
  attempts: readonly TaskAttempt[],
): Promise<readonly string[]> {
  const ref = `refs/heads/${goalBranch(goal)}`;
  const problems: string[] = [];
  const done = attempts
    .filter(({ state, commit }) => (state === "verified" || state === "claimed") && commit !== null)
    .toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  for (const { commit, branch } of done) {
    const now = await repository.readCommit(ref);
    if (commit === null || (await repository.readCommit(commit)) === null) continue;
    if (now !== null && (await repository.isAncestor(commit, now))) continue;
    const next =
      now === null || (await repository.isAncestor(now, commit)) ? commit : await merge(repository, now, commit);
    if (next === null) problems.push(`${branch ?? commit} conflicts with the branch ${goalBranch(goal)}.`);
    // With what was there, so that two that do it at once cannot undo each other's work.
    else await repository.ask(["update-ref", ref, next, now ?? "0".repeat(commit.length)]);
  }
  return problems;
}

async function merge(repository: GoalRepository, first: string, then: string): Promise<string | null> {
  const { ok, stdout } = await repository.ask(["merge-tree", "--write-tree", first, then]);
  const tree = stdout.split("\n")[0] ?? "";
  return ok ? repository.git(["commit-tree", tree, "-p", first, "-p", then, "-m", "Merge verified work"]) : null;
}
