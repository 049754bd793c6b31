import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, win32 } from "node:path";

/** The nearest parent folder with a `.git`, or the folder itself. Folders of other machines stay as recorded. */
export function findWorkspace(cwd: string | null): string | null {
  if (cwd === null || cwd === "") return null;
  const known = workspaceCache.get(cwd);
  if (known !== undefined) return known;
  const workspace = findGitRoot(cwd);
  workspaceCache.set(cwd, workspace);
  return workspace;
}

/**
 * The workspace of a call that was recorded with a project name. If the folder exists on this machine, its repository
 * counts. Otherwise the project does, because different projects may have the same folder, such as `/testbed` in
 * containers.
 */
export function resolveRecordedWorkspace(cwd: string | null, project: string | null): string | null {
  return project === null || (cwd !== null && existsSync(cwd)) ? findWorkspace(cwd) : project;
}

/** The workspace of a typed path; `.` is the current one. */
export function resolveTypedWorkspace(path: string): string {
  const full = resolvePath(path);
  return isForeignPath(full) ? full : (findWorkspace(full) ?? full);
}

/** Resolved against the current folder; a path of another operating system stays as recorded. */
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
