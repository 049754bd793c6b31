import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import type { Context } from "../../context.ts";
import { isSamePlaceOrBelow } from "../../domain/approval/protected-paths.ts";
import { isTestPath, isToolPath, listCommandsIn, listRunFiles } from "../../domain/goal/steering.ts";
import { systemErrorCode } from "../../lib/errors.ts";
import { listPathsChangedSince } from "../../store/chat/checkpoints.ts";
import { findHooksFolder } from "../tools/hooks-folder.ts";
import { changedAt } from "../undo/other-changes.ts";

/**
 * What has changed since a time and decides what a command runs: settings of tools, tests, and the files that the command and the
 * project's scripts start. By whatever changed it, for a command of the agent changes files too; in the folders of installed
 * packages, only what the agent's file tools wrote. Null if nothing has.
 */
export async function findChangedSteering(
  { db }: Pick<Context, "db">,
  of: { readonly workspace: string; readonly cwd: string; readonly command: string; readonly since: number },
): Promise<string | null> {
  const { workspace, cwd, command, since } = of;
  const inside = (path: string) => relative(workspace, path).split(sep).join("/");
  const started = listRunFiles(command).map((path) => posix.join(inside(cwd), path));
  const { files, isWhole } = listFiles(workspace);
  const changed = new Set([
    ...files.filter((path) => changedAt(join(workspace, path)) > since - CLOCK_STEP_MS),
    ...(await listPathsChangedSince(db, since)).map(inside).filter((path) => !path.startsWith("../")),
  ]);
  const hooks = findHooksFolder(cwd);
  const isHook = (path: string) => hooks !== null && isSamePlaceOrBelow(hooks, join(workspace, path));
  const scripts = files.filter(isScriptList).flatMap((path) => listStarted(workspace, path));
  const steering = [...changed].find(
    (path) => isHook(path) || isToolPath(path) || isTestPath(path) || started.includes(path) || scripts.includes(path),
  );
  if (steering !== undefined) return `${steering} has changed`;
  return isWhole ? null : "There are too many files to see which of them changed";
}

function isScriptList(path: string): boolean {
  return /(?:^|\/)(?:package\.json|(?:gnu)?makefile|[^/]+\.mk)$/i.test(path);
}

function listStarted(workspace: string, path: string): readonly string[] {
  try {
    const text = readFileSync(join(workspace, path), "utf8");
    return listCommandsIn(path, text)
      .flatMap(listRunFiles)
      .map((one) => posix.join(posix.dirname(path), one));
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return [];
  }
}

/** Relative to the workspace. Bounded: a large workspace must not delay each command. */
function listFiles(workspace: string): { readonly files: readonly string[]; readonly isWhole: boolean } {
  const files: string[] = [];
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of readdirSync(join(workspace, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (!entry.isDirectory()) files.push(path);
      else if (!skipped.has(entry.name)) folders.push(path);
      if (files.length > MOST_FILES) return { files, isWhole: false };
    }
  }
  return { files, isWhole: true };
}

const MOST_FILES = 20_000;
const skipped: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "venv", "vendor", "target"]);

/** The time of a file moves in steps of some milliseconds, so it may be a little before the true one. */
const CLOCK_STEP_MS = 20;
