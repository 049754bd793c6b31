import type { Check } from "../../../domain/goal/check.ts";
import type { ChangedPath, CleanRepository } from "./clean-repository.ts";
import { claimed, failed, type Judged, type CheckVerdict } from "./verdict.ts";

/** The file is in the commit, and was not so before. */
export async function judgeFile(
  repository: CleanRepository,
  check: Extract<Check, { kind: "file" }>,
  { base, head, doubt }: Judged,
): Promise<CheckVerdict> {
  const path = toGitPath(check.path);
  const [after, before] = [await repository.readText(head, path), await repository.readText(base, path)];
  const { contains } = check;
  const isSo = (text: string | null) => text !== null && (contains === null || text.includes(contains));
  if (after === null) return failed(`There is no file ${path} in the commit. A link or a folder is none.`);
  if (!isSo(after)) return failed(`${path} does not contain "${contains ?? ""}".`);
  if (isSo(before)) return claimed(`${path} was so before, so it does not show that the work was done.`);
  if (doubt !== null) return claimed(doubt);
  return { kind: "verified", what: contains === null ? `${path} is there` : `${path} contains "${contains}"` };
}

/** One of the commits since then has the text in its message and changes all of the paths, and the change is still there. */
export async function judgeCommit(
  repository: CleanRepository,
  check: Extract<Check, { kind: "commit" }>,
  { base, head, changes, doubt }: Judged,
): Promise<CheckVerdict> {
  const paths = check.paths.map(toGitPath);
  const missing = paths.find((path) => !hasContentChange(changes, path));
  if (missing !== undefined) return failed(`${missing} is as it was before.`);
  for (const commit of await listCommits(repository, base, head)) {
    const { ok, stdout } = await repository.ask(["show", "--no-patch", "--format=%B", commit]);
    if (!ok || (check.message !== null && !stdout.includes(check.message))) continue;
    const changed = await listOwnChanges(repository, commit);
    if (changed.length === 0 || !paths.every((path) => hasContentChange(changed, path))) continue;
    if (doubt !== null) return claimed(doubt);
    return { kind: "verified", what: `commit ${commit.slice(0, 10)} does it` };
  }
  const says = check.message === null ? "" : ` has "${check.message}" in its message`;
  const does = paths.length === 0 ? "" : `${says === "" ? "" : " and"} changes ${paths.join(", ")}`;
  return failed(`No commit since the task was made${says}${does}.`);
}

async function listCommits(repository: CleanRepository, base: string, head: string): Promise<readonly string[]> {
  const isCommit = (await repository.ask(["cat-file", "-t", base])).stdout.trim() === "commit";
  const args = ["rev-list", "--no-merges", `--max-count=${MOST_COMMITS}`, head, ...(isCommit ? [`^${base}`] : [])];
  return (await repository.git(args)).split("\n").filter((line) => line !== "");
}

const MOST_COMMITS = 1_000;

async function listOwnChanges(repository: CleanRepository, commit: string): Promise<readonly ChangedPath[]> {
  const parent = (await repository.ask(["rev-parse", "--verify", "--quiet", `${commit}^`])).stdout.trim();
  return repository.listChanges(parent === "" ? await repository.treeOf(null) : parent, commit);
}

/** Another mode alone is no change of what is in a file. */
function hasContentChange(changes: readonly ChangedPath[], path: string): boolean {
  return changes.some(
    (one) =>
      (path === "" || one.path === path || one.path.startsWith(`${path}/`)) && one.before?.object !== one.after?.object,
  );
}

function toGitPath(path: string): string {
  return path
    .split(/[\\/]/)
    .filter((part) => part !== "." && part !== "")
    .join("/");
}
