import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Files of a workspace that changed since a time, by whatever changed them: a shell command, or a person. An undo names them
 * and leaves them as they are. It looks at a bounded number of files. Of deleted files it sees those that git tracks.
 */
export function findOtherChanges(of: {
  readonly workspace: string;
  readonly since: number;
  /** Paths that are known already. */
  readonly except: readonly string[];
}): readonly string[] {
  const known = new Set(of.except);
  const changed: string[] = [];
  const folders = [of.workspace];
  let left = MOST_FILES;
  for (let folder = folders.shift(); folder !== undefined && left > 0; folder = folders.shift()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (--left <= 0 || changed.length >= MOST_NAMED) break;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) folders.push(path);
      } else if (!known.has(path) && changedAt(path) > of.since) changed.push(path);
    }
  }
  const deleted = findDeleted(of.workspace, of.since).filter((path) => !known.has(path));
  return [...changed, ...deleted.slice(0, MOST_NAMED)].toSorted();
}

/** A folder that is not there any more, or has changed since: a file may have been deleted in it since then. */
function findDeleted(workspace: string, since: number): readonly string[] {
  const ran = spawnSync("git", ["-c", "core.fsmonitor=false", "ls-files", "--deleted", "-z"], {
    ...{ cwd: workspace, encoding: "utf8", timeout: 5_000, stdio: ["ignore", "pipe", "ignore"] },
  });
  const names = (ran.stdout ?? "").split("\0").filter((name) => name !== "");
  return names.map((name) => join(workspace, name)).filter((path) => isNewlyMissing(path, since));
}

function isNewlyMissing(path: string, since: number): boolean {
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  return folder === undefined ? isNewlyMissing(dirname(path), since) : folder.mtimeMs > since;
}

/** An undo waits for this, so it is not the whole of a large workspace. */
const MOST_FILES = 4_000;
const MOST_NAMED = 50;
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "target", "__pycache__"]);

/** The time of the last change also moves if a program sets the other one back. */
export function changedAt(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? 0 : Math.max(found.mtimeMs, found.ctimeMs);
}
