import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tryParseJson } from "../lib/json.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { replacePrivateFile } from "../lib/replace-file.ts";

/** Records where backups were written, newest last, so that `forget` can name those that still contain the data. */
export function noteBackup(home: string, path: string): void {
  const paths = [...readNoted(home).filter((one) => one !== path), path].slice(-MAX_NOTED);
  makeFolder(join(home, "backups"), 0o700);
  replacePrivateFile(listPath(home), `${JSON.stringify(paths, null, 2)}\n`);
}

/** The recorded backups that still exist. */
export function listKnownBackups(home: string): readonly string[] {
  return readNoted(home).filter((path) => existsSync(path));
}

/** Deletes the oldest daily backups beyond `keep`. Returns how many. Backups with other names stay. */
export function deleteOldBackups(folder: string, keep: number): number {
  const daily = readdirSync(folder).filter((name) => /^mind-\d{4}-\d{2}-\d{2}\.gz$/.test(name));
  const old = daily.toSorted().slice(0, Math.max(0, daily.length - keep));
  for (const name of old) rmSync(join(folder, name));
  return old.length;
}

const MAX_NOTED = 50;

function readNoted(home: string): readonly string[] {
  const list = existsSync(listPath(home)) ? tryParseJson(readFileSync(listPath(home), "utf8")) : undefined;
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}

function listPath(home: string): string {
  return join(home, "backups", "made.json");
}
