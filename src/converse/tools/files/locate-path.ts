import { lstatSync, readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { thisMachine } from "../../../config.ts";
import type { ActionPlace } from "../../../domain/approval/decide-action.ts";
import {
  isCredentialPath,
  isHomeSecret,
  isHostSettingPath,
  isOwnPathInWorkspace,
  isSamePlaceOrBelow,
  isVirtualPath,
} from "../../../domain/approval/protected-paths.ts";
import { systemErrorCode } from "../../../lib/errors.ts";
import { findHooksFolder } from "../hooks-folder.ts";
import { findUserHome, isWorktreeOf, listOwnPaths, listProgramFolders } from "../own-paths.ts";
import type { ToolContext } from "../tool.ts";

/** Where a path leads that a model wrote. */
export interface LocatedPath {
  /** With all links resolved, also for a file that does not exist yet. */
  readonly path: string;
  /** Relative to the workspace if it is inside. */
  readonly shown: string;
  readonly place: ActionPlace;
}

type PathContext = Pick<ToolContext, "workspace" | "cwd" | "mind">;

/** Looks at the disk and changes nothing. What cannot be resolved counts as outside. */
export function locatePath(ctx: PathContext, given: string): LocatedPath {
  const typed = given.replace(/^~(?=$|[\\/])/, thisMachine().userHome);
  const full = resolve(ctx.cwd, typed);
  const outside = { path: full, shown: given, place: "outside" } as const;
  const root = resolveLinks(ctx.workspace) ?? ctx.workspace;
  const isVirtual = (path: string) => isVirtualPath(path, ctx.workspace) && isVirtualPath(path, root);
  if (given.includes("\0") || isVirtual(full)) return outside;
  const real = resolveLinks(full);
  if (real === null || isVirtual(real) || isDevice(real)) return outside;
  const own = listOwnPaths(ctx.mind.config);
  // A worktree lies in oldhand's home, and is none of its own files.
  const isOwn = (path: string) => own.some((one) => isSamePlaceOrBelow(one, path)) && !isInWorktree(path);
  const isInWorktree = (path: string) =>
    isWorktreeOf(ctx.mind.config.home, ctx.workspace) &&
    [ctx.workspace, root].some((one) => isSamePlaceOrBelow(one, path));
  if ([full, real].some(isOwn) || isLinkedOwnFile(real, own)) return { path: real, shown: given, place: "own" };
  const inside = relative(root, real);
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return { ...outside, path: real };
  return { path: real, shown: inside === "" ? "." : inside, place: placeInside(inside, root) };
}

function placeInside(path: string, workspace: string): ActionPlace {
  if (isOwnPathInWorkspace(path)) return "own";
  if (isSecretPath(path, workspace)) return "credentials";
  if (isHostSettingPath(path, { workspace, userHome: findUserHome(), programs: listProgramFolders() })) return "host";
  const full = join(workspace, path);
  const hooks = findHooksFolder(dirname(full));
  return hooks !== null && isSamePlaceOrBelow(hooks, full) ? "host" : "inside";
}

/** True for a file of the workspace that may hold secrets, by its name or because it is one of the user's home. */
export function isSecretPath(path: string, workspace: string): boolean {
  return isCredentialPath(path) || isHomeSecret(join(workspace, path), { workspace, userHome: findUserHome() });
}

/** Null for a link to nothing and for a circle of links. */
function resolveLinks(path: string): string | null {
  const there = statPath(path);
  if (there === null) {
    const up = dirname(path);
    const folder = up === path ? path : resolveLinks(up);
    return folder === null ? null : join(folder, relative(up, path));
  }
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return null;
  }
}

/** Null if nothing is there. A link is not followed. */
export function statPath(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    // A parent is a file, cannot be entered, or the name is too long.
    if (systemErrorCode(error) === "") throw error;
    return null;
  }
}

function isDevice(path: string): boolean {
  const there = statPath(path);
  return there !== null && (there.isCharacterDevice() || there.isBlockDevice());
}

/** True if the file is, by a hard link, one of oldhand's own. */
function isLinkedOwnFile(path: string, own: readonly string[]): boolean {
  const there = statPath(path);
  if (there === null || !there.isFile() || there.nlink < 2) return false;
  return own.flatMap(listFiles).some((file) => {
    const other = statPath(file);
    return other !== null && other.ino === there.ino && other.dev === there.dev;
  });
}

function listFiles(path: string): readonly string[] {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || !there.isDirectory()) return [path];
  return readdirSync(path).map((name) => join(path, name));
}
