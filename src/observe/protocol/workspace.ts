import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, win32 } from "node:path";

/** The nearest folder upwards with a `.git`, else the folder itself. Folders of other machines stay as they were recorded. */
export function workspaceOf(cwd: string | null): string | null {
  if (cwd === null || cwd === "") return null;
  const known = found.get(cwd);
  if (known !== undefined) return known;
  const workspace = search(cwd);
  found.set(cwd, workspace);
  return workspace;
}

/**
 * The workspace of a call that was recorded with the name of its project. A folder of this machine is known better by its own
 * repository; one of another machine may hold any project, as containers all have the same `/testbed`.
 */
export function recordedWorkspace(cwd: string | null, project: string | null): string | null {
  return project === null || (cwd !== null && existsSync(cwd)) ? workspaceOf(cwd) : project;
}

/** The workspace of a path as a person types it: `.` is the one they stand in. */
export function folderOf(path: string): string {
  const full = fullPath(path);
  return isElsewhere(full) ? full : (workspaceOf(full) ?? full);
}

/** From here on; a folder of another system stays as it was recorded. */
export function fullPath(path: string): string {
  return isElsewhere(path) ? path : resolve(path);
}

function isElsewhere(path: string): boolean {
  return win32.isAbsolute(path) && !isAbsolute(path);
}

const found = new Map<string, string>();

function search(cwd: string): string {
  for (let dir = resolve(cwd); ;) {
    if (existsSync(join(dir, ".git"))) return dir;
    const up = dirname(dir);
    if (up === dir) return cwd;
    dir = up;
  }
}
