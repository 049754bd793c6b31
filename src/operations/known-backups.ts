import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tryParse } from "../lib/json.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { replacePrivateFile } from "../lib/replace-file.ts";

/** Where backups of this home were written, newest last: who forgets something is told that they still hold it. */
export function noteBackup(home: string, path: string): void {
  const paths = [...noted(home).filter((one) => one !== path), path].slice(-MOST);
  makeFolder(join(home, "backups"), 0o700);
  replacePrivateFile(listIn(home), `${JSON.stringify(paths, null, 2)}\n`);
}

/** Those that are still there. */
export function knownBackups(home: string): readonly string[] {
  return noted(home).filter((path) => existsSync(path));
}

const MOST = 50;

function noted(home: string): readonly string[] {
  const list = existsSync(listIn(home)) ? tryParse(readFileSync(listIn(home), "utf8")) : undefined;
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}

function listIn(home: string): string {
  return join(home, "backups", "made.json");
}
