import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, sep } from "node:path";

/**
 * A cloned repository may hold links to anywhere. What is not there yet is judged by the folder it would be in; a link
 * to what is not there is in no folder.
 */
export function isWithin(path: string, folder: string): boolean {
  if (!existsSync(path)) return !isLink(path) && dirname(path) !== path && isWithin(dirname(path), folder);
  const root = realpathSync(folder);
  const real = realpathSync(path);
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Wherever it leads. What cannot be asked, since a file stands where a folder should, is none. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}
