import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** Whole or not at all. A link stays a link to the same file, and a file that only its owner could read stays so. */
export function replaceFile(path: string, text: string): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o644;
  mkdirSync(dirname(real), { recursive: true });
  const fresh = `${real}.oldhand-new`;
  // Made anew, always: a link of that name would lead the text elsewhere.
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { mode, flag: "wx" });
  renameSync(fresh, real);
}

/** The file, and the folders above it that are empty then, up to the one that stays. */
export function removeFile(path: string, stays: string): void {
  rmSync(path, { force: true });
  for (let folder = dirname(path); folder !== stays && folder.startsWith(stays); folder = dirname(folder)) {
    if (!existsSync(folder) || readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}
