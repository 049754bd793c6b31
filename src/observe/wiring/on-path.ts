import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import type { InstallTarget } from "../protocol/host.ts";

/** True if one of the programs is on the PATH. Needed for products that were never started and have no folder yet. */
export function isOnPath(
  { env, platform }: Pick<InstallTarget, "env" | "platform">,
  ...names: readonly string[]
): boolean {
  const windows = platform === "win32";
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(windows ? ";" : ":").filter(Boolean);
  const endings = windows ? [".exe", ".cmd", ".bat"] : [""];
  return folders.some((folder) =>
    names.some((name) => endings.some((ending) => isProgram(join(folder, name + ending)))),
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
