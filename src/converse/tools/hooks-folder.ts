import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";

/**
 * The folder that a repository's settings name for hooks (`core.hooksPath`): git runs the programs there by itself, outside of
 * every sandbox. A full path; null if the settings name none. `folder` is in the repository, and need not exist yet.
 */
export function findHooksFolder(folder: string): string | null {
  const start = nearestFolder(folder);
  const named = askGit(start, ["config", "--type=path", "--get", "core.hooksPath"]);
  if (named === "") return null;
  // Git reads it from the top of the work tree.
  const top = isAbsolute(named) ? start : askGit(start, ["rev-parse", "--show-toplevel"]) || start;
  const full = resolve(top, named);
  return existsSync(full) ? realpathSync(full) : full;
}

function nearestFolder(folder: string): string {
  const up = dirname(folder);
  return existsSync(folder) || up === folder ? folder : nearestFolder(up);
}

function askGit(cwd: string, args: readonly string[]): string {
  const ran = spawnSync("git", ["-c", "core.fsmonitor=false", ...args], {
    ...{ cwd, encoding: "utf8", timeout: 5_000, stdio: ["ignore", "pipe", "ignore"] },
  });
  return ran.status === 0 ? (ran.stdout ?? "").trim() : "";
}
