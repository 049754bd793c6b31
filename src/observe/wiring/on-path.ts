import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import type { InstallTarget } from "../protocol/host.ts";

/** True if one of the programs is on the PATH. Needed for products that were never started and have no folder yet. */
export function isOnPath(target: Pick<InstallTarget, "env" | "platform">, ...names: readonly string[]): boolean {
  return findOnPath(target, ...names) !== null;
}

/** Where the first of the programs is that is on the PATH; null if none is. */
export function findOnPath(
  { env, platform }: Pick<InstallTarget, "env" | "platform">,
  ...names: readonly string[]
): string | null {
  const windows = platform === "win32";
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(windows ? ";" : ":").filter(Boolean);
  const endings = windows ? [".exe", ".cmd", ".bat"] : [""];
  const paths = folders.flatMap((folder) =>
    names.flatMap((name) => endings.map((ending) => join(folder, name + ending))),
  );
  return paths.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
