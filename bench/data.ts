import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { OldhandError } from "../src/lib/errors.ts";

/** The folder with the benchmark's data. Throws if the needed file is missing. */
export function findDataFolder(given: string | undefined, needed: string): string {
  const folder = given === undefined ? getUsualFolder() : resolve(given);
  if (!existsSync(join(folder, needed))) {
    throw new OldhandError("input", `there is no ${needed} in ${folder}`, {
      hint: "say where it is with --data FOLDER",
    });
  }
  return folder;
}

export function getUsualFolder(): string {
  return resolve("..", "shared", "data");
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function unzip(file: string): string {
  return gunzipSync(readFileSync(file)).toString("utf8");
}
