import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { isSamePlaceOrBelow } from "../../domain/approval/protected-paths.ts";
import { isTestPath, isToolPath, listCommandsIn, listRunFilesFrom } from "../../domain/goal/steering.ts";
import { listSourced } from "../../domain/goal/sourced-files.ts";
import { systemErrorCode } from "../../lib/errors.ts";
import { lstatOrNull } from "../../lib/lstat-or-null.ts";
import { findHooksFolder } from "../tools/hooks-folder.ts";

export interface Steering {
  /** Relative to the workspace. */
  readonly files: readonly string[];
  /** False if there are too many files to look at each. */
  readonly isWhole: boolean;
  /** How near a file is to the command: 0 is the nearest. Null if it decides nothing. */
  readonly rankOf: (path: string) => number | null;
}

/**
 * What decides what a command runs: the files that it starts, what these source, hooks of git, scripts of the project and what they
 * start, settings of tools, and tests.
 */
export function listSteering({ workspace, cwd, command }: Readonly<Record<"workspace" | "cwd" | "command", string>>) {
  const here = relative(workspace, cwd).split(sep).join("/");
  // A full path into the workspace, from where the command starts.
  const toTop = `${relative(cwd, workspace).split(sep).join("/") || "."}/`;
  const found = listFiles(workspace);
  const started = listRunFilesFrom(here, command.replaceAll(workspace + sep, toTop));
  const hooks = findHooksFolder(cwd);
  const isHook = (path: string) => hooks !== null && isSamePlaceOrBelow(hooks, join(workspace, path));
  const ranPaths = [...started, ...found.files.filter(isHook)];
  const lists = found.files.filter(isScriptList);
  const byLists = lists.flatMap((path) => listStarted(workspace, path));
  const load = (paths: readonly string[]) => paths.flatMap((path) => listLoadedBy(workspace, path, here));
  const [loaded, loadedByLists] = [load(ranPaths), load([...lists, ...byLists])];
  const ranks = new Map<string, number>();
  for (const [rank, paths] of [started, loaded, lists, byLists, loadedByLists].entries())
    for (const path of paths) if (!ranks.has(path)) ranks.set(path, rank === 2 ? RANK_OF_SETTING : rank);
  const steering: Steering = {
    files: [...new Set([...found.files, ...[...ranks.keys()].filter((path) => isFileIn(workspace, path))])],
    isWhole: found.isWhole,
    rankOf: (path) => {
      const known = ranks.get(path);
      if (isHook(path)) return Math.min(known ?? 1, 1);
      return known ?? (isToolPath(path) ? RANK_OF_SETTING : isTestPath(path) ? RANK_OF_SETTING + 1 : null);
    },
  };
  return steering;
}

const RANK_OF_SETTING = 5;

function isScriptList(path: string): boolean {
  return /(?:^|\/)(?:package\.json|(?:gnu)?makefile|[^/]+\.mk)$/i.test(path);
}

function listStarted(workspace: string, path: string): readonly string[] {
  return listCommandsIn(path, readText(workspace, path)).flatMap((command) =>
    listRunFilesFrom(posix.dirname(path), command),
  );
}

/** What a file loads by literal paths. Those are relative to where the command starts, or to the file's own folder. */
function listLoadedBy(workspace: string, path: string, here: string): readonly string[] {
  const text = readText(workspace, path).replaceAll(`${workspace}/`, "./");
  return listSourced(path, text, [...new Set(["", here, posix.dirname(path)])]);
}

function readText(workspace: string, path: string): string {
  try {
    const full = join(workspace, path);
    return lstatSync(full).size > MOST_BYTES ? "" : readFileSync(full, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return "";
  }
}

const MOST_BYTES = 1_000_000;

function isFileIn(workspace: string, path: string): boolean {
  return !path.startsWith("../") && lstatOrNull(join(workspace, path))?.isDirectory() === false;
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
