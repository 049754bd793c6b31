import { existsSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isSamePlaceOrBelow } from "../../domain/approval/protected-paths.ts";
import { type Config, thisMachine } from "../../config.ts";

/** Files and folders of oldhand itself, as configured and with links resolved. */
export function listOwnPaths({ home, database }: Pick<Config, "home" | "database">): readonly string[] {
  const files = isAbsolute(database) ? [database, `${database}-wal`, `${database}-shm`] : [];
  return [...new Set([home, ...files].flatMap((path) => [path, resolveReal(path)]))];
}

function resolveReal(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Where the work on goals is done: the one folder in the home that an agent may change. */
export function worktreesIn(home: string): string {
  return join(home, "worktrees");
}

export function isWorktreeOf(home: string, folder: string): boolean {
  const root = worktreesIn(home);
  return [root, resolveReal(root)].some((one) => folder !== one && isSamePlaceOrBelow(one, folder));
}

/** With links resolved, as workspaces are. */
export function findUserHome(): string {
  return resolveReal(thisMachine().userHome);
}

/** The folders of PATH, with links resolved. */
export function listProgramFolders(): readonly string[] {
  const folders = (thisMachine().env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return [...new Set(folders.map((folder) => resolveReal(folder)))];
}
