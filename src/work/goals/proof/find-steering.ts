import { posix } from "node:path";
import {
  isTestPath,
  isToolPath,
  leadsOut,
  listCommandsIn,
  listRunFiles,
  listSetups,
} from "../../../domain/goal/steering.ts";
import type { Check } from "../../../domain/goal/check.ts";
import type { ChangedPath, CleanRepository } from "./clean-repository.ts";
import { findSupport } from "./find-support.ts";

type RunCheck = Extract<Check, { kind: "command" | "test" }>;

/**
 * The changes that decide how the check runs, not what it looks at: the files of the check, those its command runs, what is there
 * only for them, tests that were there, settings of test runners and build tools, and links that lead out of the repository.
 */
export async function findSteering(
  repository: CleanRepository,
  check: RunCheck,
  { base, head, changes }: { readonly base: string; readonly head: string; readonly changes: readonly ChangedPath[] },
): Promise<readonly ChangedPath[]> {
  const files = await listCheckFiles(repository, check, base);
  const found: ChangedPath[] = [];
  for (const change of changes) {
    const { path, before } = change;
    const isOfCheck = files.some((one) => path === one || path.startsWith(`${one}/`));
    const isOldTest = before !== null && isTestPath(path);
    if (isOfCheck || isOldTest || isToolPath(path) || (await isWayOut(repository, head, change))) found.push(change);
  }
  // Whoever says what belongs to the check has said all of it.
  if (check.files.length > 0) return found;
  const others = changes.filter((change) => !found.includes(change));
  return [...found, ...(await findSupport(repository, { base, checkFiles: files, changes: others }))];
}

/** With the files that these run in turn, as they were. */
async function listCheckFiles(repository: CleanRepository, check: RunCheck, base: string): Promise<readonly string[]> {
  const named = check.files.map((one) => one.replace(/^\.\//, "").replace(/\/+$/, ""));
  const found = new Set(named);
  // Whoever says what belongs to the check has seen its command: another file there is what it looks at.
  const queue = named.length > 0 ? [...named] : [...listRunFiles(check.command)];
  for (const one of queue) found.add(one);
  const known = await repository.listPaths(base);
  queue.push(...known.filter((path) => /(?:^|\/)(?:package\.json|(?:gnu)?makefile|[^/]+\.mk)$/i.test(path)));
  for (const path of known.filter(isToolPath).slice(0, MOST_FILES)) {
    const folder = posix.dirname(path);
    for (const one of listSetups((await repository.readText(base, path)) ?? "")) found.add(posix.join(folder, one));
  }
  for (let at = 0; at < queue.length && at < MOST_FILES; at++) {
    const path = queue[at] ?? "";
    const text = await repository.readText(base, path);
    if (text === null) continue;
    for (const inner of listCommandsIn(path, text).flatMap(listRunFiles)) {
      if (found.has(inner)) continue;
      found.add(inner);
      queue.push(inner);
    }
  }
  return [...found];
}

const MOST_FILES = 200;

async function isWayOut(repository: CleanRepository, head: string, { path, after }: ChangedPath): Promise<boolean> {
  if (after?.mode !== "120000") return false;
  return leadsOut(path, await repository.git(["cat-file", "blob", `${head}:${path}`]));
}
