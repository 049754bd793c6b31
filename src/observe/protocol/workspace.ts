import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, win32 } from "node:path";

/** The nearest folder upwards with a `.git`, else the folder itself. Folders of other machines stay as they were recorded. */
export function findWorkspace(cwd: string | null): string | null {
  if (cwd === null || cwd === "") return null;
  const known = workspaceCache.get(cwd);
  if (known !== undefined) return known;
  const workspace = findGitRoot(cwd);
  workspaceCache.set(cwd, workspace);
  return workspace;
}

/**
 * The workspace of a call that was recorded with the name of its project. A folder of this machine is known better by its own
 * repository; one of another machine may hold any project, as containers all have the same `/testbed`.
 */
export function resolveRecordedWorkspace(cwd: string | null, project: string | null): string | null {
  return project === null || (cwd !== null && existsSync(cwd)) ? findWorkspace(cwd) : project;
}

/** The workspace of a path as a person types it: `.` is the one they stand in. */
export function resolveTypedWorkspace(path: string): string {
  const full = resolvePath(path);
  return isForeignPath(full) ? full : (findWorkspace(full) ?? full);
}

/** From here on; a folder of another system stays as it was recorded. */
export function resolvePath(path: string): string {
  return isForeignPath(path) ? path : resolve(path);
}

function isForeignPath(path: string): boolean {
  return win32.isAbsolute(path) && !isAbsolute(path);
}

const workspaceCache = new Map<string, string>();

function findGitRoot(cwd: string): string {
  for (let dir = resolve(cwd); ;) {
    if (existsSync(join(dir, ".git"))) return dir;
    const up = dirname(dir);
    if (up === dir) return cwd;
    dir = up;
  }
}
