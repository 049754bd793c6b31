import { redact } from "../../../../domain/redact/redact.ts";
import { type GoalRepository, isKnownWorktree, worktreeEnv } from "./goal-repository.ts";
import type { WorkPlace } from "./open-place.ts";

export interface CommittedWork {
  /** Null if there is no repository. */
  readonly commit: string | null;
  /** Files that hold a secret, and so are not in it. */
  readonly leftOut: readonly string[];
}

/**
 * Commits everything in a worktree as one commit on the branch of its attempt, whatever was committed there meanwhile. Without a
 * difference, it is the base.
 */
export async function commitWork(
  repository: GoalRepository,
  { folder, base, branch }: WorkPlace,
  message: string,
): Promise<CommittedWork> {
  if (base === null || branch === null || !isKnownWorktree(repository, folder)) return { commit: null, leftOut: [] };
  const env = worktreeEnv(repository, folder);
  const git = (args: readonly string[]) => repository.git(args, env);
  await git(["add", "--all", "--", "."]);
  const leftOut = await takeOutSecrets(repository, { env, base });
  const tree = await git(["write-tree"]);
  const ref = `refs/heads/${branch}`;
  const before = await repository.readCommit(ref);
  const isSame = tree === (await git(["rev-parse", `${base}^{tree}`]));
  const own = await git(["log", "--format=%B", `${base}..${before ?? base}`]);
  const body = [message, own].filter((text) => text !== "").join("\n\n");
  const commit = isSame ? base : await git(["commit-tree", tree, "-p", base, "-m", redact(body)]);
  await git(["update-ref", ref, commit, ...(before === null ? [] : [before])]);
  return { commit, leftOut };
}

/** A file whose new text has more secrets than the old one stays as it was. */
async function takeOutSecrets(
  repository: GoalRepository,
  { env, base }: { readonly env: Readonly<Record<string, string>>; readonly base: string },
): Promise<readonly string[]> {
  const listed = await repository.git(
    ["diff-index", "--cached", "-z", "--name-only", "--no-renames", "--diff-filter=AM", base],
    env,
  );
  const leftOut: string[] = [];
  for (const path of listed.split("\0").filter((one) => one !== "")) {
    const after = await readBlob(repository, `:${path}`, env);
    if (after === null || countSecrets(after) === 0) continue;
    if (countSecrets(after) > countSecrets((await readBlob(repository, `${base}:${path}`, env)) ?? ""))
      leftOut.push(path);
  }
  if (leftOut.length > 0) await repository.git(["reset", "--quiet", base, "--", ...leftOut], env);
  return leftOut;
}

/** Null for what is no text, and for what is too large to be one. */
async function readBlob(
  repository: GoalRepository,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const size = Number((await repository.ask(["cat-file", "-s", name], env)).stdout);
  if (!(size > 0) || size > MOST_BYTES) return null;
  const { ok, stdout } = await repository.ask(["cat-file", "blob", name], env);
  return ok && !stdout.includes("\0") ? stdout : null;
}

const MOST_BYTES = 2_000_000;

function countSecrets(text: string): number {
  const marks = /\[redacted:/g;
  return (redact(text).match(marks) ?? []).length - (text.match(marks) ?? []).length;
}
