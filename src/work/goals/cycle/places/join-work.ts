import type { TaskAttempt } from "../../../../domain/goal/attempt.ts";
import { isTestPath } from "../../../../domain/goal/steering.ts";
import { type GoalRepository, goalBranch } from "./goal-repository.ts";

/**
 * Moves the goal's branch to the work that was verified or claimed, in its order. What is there already stays, so it may be done
 * again: after a crash, the next attempt does it. Returns a sentence for each attempt that does not fit. Claimed work that deletes
 * tests is not put there: whoever merges the branch would lose them.
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
  for (const { commit, branch, base, state } of done) {
    const now = await repository.readCommit(ref);
    if (commit === null || (await repository.readCommit(commit)) === null) continue;
    if (now !== null && (await repository.isAncestor(commit, now))) continue;
    const deleted = state === "claimed" && base !== null ? await listDeletedTests(repository, base, commit) : [];
    if (deleted.length > 0) {
      problems.push(
        `${branch ?? commit} deletes ${deleted.join(", ")}, and is only claimed: it is not in the branch ${goalBranch(goal)}.`,
      );
      continue;
    }
    const next =
      now === null || (await repository.isAncestor(now, commit)) ? commit : await merge(repository, now, commit);
    if (next === null) problems.push(`${branch ?? commit} conflicts with the branch ${goalBranch(goal)}.`);
    // With what was there, so that two that do it at once cannot undo each other's work.
    else await repository.ask(["update-ref", ref, next, now ?? "0".repeat(commit.length)]);
  }
  return problems;
}

/** A test that was only moved is not among them. */
async function listDeletedTests(repository: GoalRepository, base: string, commit: string): Promise<readonly string[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--find-renames=100%", "--diff-filter=D", base, commit];
  return (await repository.git(args)).split("\0").filter((path) => path !== "" && isTestPath(path));
}

async function merge(repository: GoalRepository, first: string, then: string): Promise<string | null> {
  const { ok, stdout } = await repository.ask(["merge-tree", "--write-tree", first, then]);
  const tree = stdout.split("\n")[0] ?? "";
  return ok ? repository.git(["commit-tree", tree, "-p", first, "-p", then, "-m", "Merge verified work"]) : null;
}
