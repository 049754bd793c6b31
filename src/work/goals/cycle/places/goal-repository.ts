import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { thisMachine } from "../../../../config.ts";
import { OldhandError } from "../../../../lib/errors.ts";
import { type GitResult, runGit } from "../../../../lib/run-git.ts";

/** Git in a goal's repository. Nothing of it runs there: no hook, no signature, no editor. */
export interface GoalRepository {
  readonly folder: string;
  /** The folder that holds its branches. */
  readonly common: string;
  /** Git's answer, whatever it is. */
  ask(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<GitResult>;
  git(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Null if there is none. */
  readCommit(name: string): Promise<string | null>;
  isAncestor(first: string, then: string): Promise<boolean>;
}

/** Nobody can work there, and that says nothing about the work. */
export class FolderGone extends OldhandError {
  constructor(folder: string) {
    super("not-found", `the folder ${folder} is not there`);
  }
}

export async function openGoalRepository(folder: string): Promise<GoalRepository> {
  if (!existsSync(folder)) throw new FolderGone(folder);
  const { env: machine } = thisMachine();
  const ask: GoalRepository["ask"] = (args, env = {}) =>
    runGit({ folder, args: [...unsigned, ...args], path: machine["PATH"], env: { ...author, ...env } });
  const git: GoalRepository["git"] = async (args, env) => {
    const { ok, stdout, stderr } = await ask(args, env);
    if (!ok)
      throw new OldhandError("input", `git ${args[0] ?? ""} in ${folder}: ${stderr === "" ? "no answer" : stderr}`);
    return stdout.trim();
  };
  const common = await git(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  return {
    ...{ folder, common, ask, git },
    readCommit: async (name) => {
      const { ok, stdout } = await ask(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
      return ok ? stdout.trim() : null;
    },
    isAncestor: async (first, then) => (await ask(["merge-base", "--is-ancestor", first, then])).ok,
  };
}

const unsigned = ["-c", "commit.gpgsign=false", "-c", "gc.auto=0"];

const author = {
  GIT_AUTHOR_NAME: "oldhand",
  GIT_AUTHOR_EMAIL: "oldhand@localhost",
  GIT_COMMITTER_NAME: "oldhand",
  GIT_COMMITTER_EMAIL: "oldhand@localhost",
};

/** Verified and claimed work of a goal, one attempt on the other: what the owner merges. */
export function goalBranch(goal: string): string {
  return `oldhand/${goal}`;
}

/** Git allows no branch below a branch, so it is not below that of the goal. */
export function attemptBranch(task: string, number: number): string {
  return `oldhand/${task}-${number}`;
}

/** So that git reads the worktree of an attempt, but nothing in it that says where its repository is. */
export function worktreeEnv({ common }: GoalRepository, worktree: string): Readonly<Record<string, string>> {
  return { GIT_DIR: join(common, "worktrees", basename(worktree)), GIT_WORK_TREE: worktree };
}

/** True if git knows the folder as a worktree of this repository: it was made by us. */
export function isKnownWorktree(repository: GoalRepository, worktree: string): boolean {
  const file = join(repository.common, "worktrees", basename(worktree), "gitdir");
  return existsSync(file) && readFileSync(file, "utf8").trim() === join(worktree, ".git");
}
