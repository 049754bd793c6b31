import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, sep } from "node:path";

/**
 * True if the path, with links resolved, is in the folder: a cloned repository may contain links to anywhere. A
 * missing path is judged by its parent folder; a dangling link is never within.
 */
export function isWithin(path: string, folder: string): boolean {
  if (!existsSync(path)) return !isLink(path) && dirname(path) !== path && isWithin(dirname(path), folder);
  const root = realpathSync(folder);
  const real = realpathSync(path);
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** True for any symbolic link, also a dangling one. False if the path cannot be examined because a parent is a file. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}
