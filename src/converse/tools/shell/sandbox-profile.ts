import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join, relative } from "node:path";
import { lstatOrNull } from "../../../lib/lstat-or-null.ts";
import {
  homeSecrets,
  isCredentialPath,
  isSamePlaceOrBelow,
  listGuardedPaths,
} from "../../../domain/approval/protected-paths.ts";
import { listProgramFolders } from "../own-paths.ts";
import { findHooksFolder } from "../hooks-folder.ts";
import type { HiddenPath, SandboxProfile } from "../sandbox.ts";

export interface ProfileRequest {
  readonly workspace: string;
  readonly cwd: string;
  readonly kind: SandboxProfile["kind"];
  readonly hasNetwork: boolean;
  readonly userHome: string;
  readonly own: readonly string[];
}

/** Looks on the disk which of the protected paths exist, and how each must be protected. */
export function composeSandboxProfile(request: ProfileRequest): SandboxProfile {
  const { workspace, cwd, kind, hasNetwork, userHome, own } = request;
  const isClosed = kind === "closed";
  const secrets = isClosed ? homeSecrets.map((name) => join(userHome, name)) : [];
  const hidden = [...own, ...secrets].flatMap(lookAt);
  const inWorkspace = (name: string) => join(workspace, name);
  const guarded = isClosed
    ? listGuardedPaths({ workspace, userHome, programs: listExistingPrograms() })
    : { folders: [], files: [] };
  const { files } = guarded;
  const folders = [...new Set([...guarded.folders, ...(isClosed ? listNamedHooks(workspace) : [])])];
  const git = lookAt(inWorkspace(".git")).filter(({ isFolder }) => isFolder);
  const gitFile = lookAt(inWorkspace(".git")).filter(({ isFolder }) => !isFolder);
  const isPossible = (path: string) => git.length > 0 || !path.startsWith(inWorkspace(".git"));
  // A worktree lies in oldhand's home, and is not hidden with it.
  const isAround = (one: HiddenPath) => isBelow(one, workspace);
  const rest = [...hidden.filter((one) => !isAround(one)), ...(isClosed ? findCredentialFiles(workspace) : [])];
  const around = dropCovered(hidden.filter(isAround));
  const isCovered = (one: HiddenPath) =>
    around.some((folder) => isBelow(folder, one.path) && !isBelow({ path: workspace, isFolder: true }, one.path));
  const allHidden = [...around, ...dropCovered(rest).filter((one) => !isCovered(one))];
  // With the user's home as workspace, both lists have some of these. What is shown read-only would be hidden no more.
  const isShown = ({ path }: HiddenPath) =>
    !allHidden.some((one) => one.path === path || (isBelow(one, path) && !isAround(one)));
  return {
    ...{ workspace, cwd, kind, hasNetwork },
    hidden: allHidden,
    pinned: isClosed ? git.filter(isShown).map(({ path }) => path) : [],
    // The `.git` of a linked worktree says where its repository is: another one could bring settings that run programs.
    readOnly: [...[...folders, ...files].flatMap(lookAt), ...(isClosed ? gitFile : [])]
      .filter(isShown)
      .map(({ path }) => path),
    absent: folders.filter((path) => isPossible(path) && lookAt(path).length === 0),
  };
}

/** What is not there yet is not kept free: a project's own programs may be installed there. */
function listExistingPrograms(): readonly string[] {
  return listProgramFolders().filter((folder) => lookAt(folder).length > 0 && !/(?:^|\/)node_modules\//.test(folder));
}

/** The folder that git's settings name for hooks, as far as the workspace has it. */
function listNamedHooks(workspace: string): readonly string[] {
  const hooks = findHooksFolder(workspace);
  if (hooks === null) return [];
  if (isSamePlaceOrBelow(hooks, workspace)) return [workspace];
  return isSamePlaceOrBelow(workspace, hooks) ? [hooks] : [];
}

function isBelow(folder: HiddenPath, path: string): boolean {
  return folder.isFolder && path.startsWith(`${folder.path}/`);
}

/** With links resolved: a mount over a link would miss what it leads to. */
function lookAt(path: string): readonly HiddenPath[] {
  const there = lstatOrNull(path);
  if (there === null) return [];
  if (!there.isSymbolicLink()) return [{ path, isFolder: there.isDirectory() }];
  try {
    const real = realpathSync(path);
    return [{ path: real, isFolder: lstatSync(real).isDirectory() }];
  } catch {
    // A link to nothing hides nothing.
    return [];
  }
}

/** Without repeats and without what lies in a hidden folder: nothing can be mounted in a folder that is empty and read-only. */
function dropCovered(paths: readonly HiddenPath[]): readonly HiddenPath[] {
  const all = [...new Map(paths.map((one) => [one.path, one])).values()];
  return all.filter((one) => !all.some((folder) => isBelow(folder, one.path)));
}

/** Files with secrets near the top of the workspace. Bounded: a large workspace must not delay each command. */
function findCredentialFiles(workspace: string): readonly HiddenPath[] {
  const found: HiddenPath[] = [];
  const queue = [{ folder: workspace, depth: 0 }];
  for (let seen = 0; queue.length > 0 && seen < MOST_FOLDERS; seen++) {
    const { folder, depth } = queue.shift() ?? { folder: workspace, depth: 0 };
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isFile() && isCredentialPath(entry.name)) found.push({ path, isFolder: false });
      else if (entry.isDirectory() && depth < DEEPEST && !skipped.has(entry.name))
        queue.push({ folder: path, depth: depth + 1 });
    }
  }
  return dropTracked(workspace, found);
}

/** What git tracks is no secret of this machine, and hidden it would look deleted to git. */
function dropTracked(workspace: string, found: readonly HiddenPath[]): readonly HiddenPath[] {
  if (found.length === 0) return found;
  const names = found.map(({ path }) => relative(workspace, path));
  const ran = spawnSync("git", ["-c", "core.fsmonitor=false", "ls-files", "-z", "--", ...names], {
    ...{ cwd: workspace, encoding: "utf8", timeout: 5_000, stdio: ["ignore", "pipe", "ignore"] },
  });
  const tracked = new Set((ran.stdout ?? "").split("\0"));
  return found.filter((_one, at) => !tracked.has(names[at] ?? ""));
}

const MOST_FOLDERS = 500;
const DEEPEST = 4;
const skipped: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "build", "target", ".venv", "vendor"]);
