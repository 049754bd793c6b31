import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { systemErrorCode } from "../../../lib/errors.ts";
import type { ToolContext } from "../tool.ts";
import { locatePath, type LocatedPath } from "./locate-path.ts";

export type FileContent =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "missing" }
  | { readonly kind: "folder" }
  | { readonly kind: "refused"; readonly why: string };

/**
 * Reads a file inside the workspace. After it is open, its place is checked again, so that a link which appeared in the
 * meantime leads nowhere.
 */
export function readFileInside(ctx: ToolContext, located: LocatedPath, mostBytes: number): FileContent {
  try {
    const file = openSync(located.path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
    try {
      const there = fstatSync(file);
      if (there.isDirectory()) return { kind: "folder" };
      if (!there.isFile()) return refused(`${located.shown} is not a regular file`);
      if (!isStillThere(ctx, located, there)) return refused(MOVED);
      if (there.size > mostBytes)
        return refused(
          `${located.shown} has ${there.size} bytes, which exceeds the maximum allowed size of ${mostBytes}`,
        );
      return { kind: "bytes", bytes: readWhole(file, there.size) };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return failed(located, error);
  }
}

export type WriteOutcome = { readonly kind: "written" } | { readonly kind: "refused"; readonly why: string };

/** Writes a whole file inside the workspace, and creates its folders. The same check as for reading. */
export function writeFileInside(ctx: ToolContext, located: LocatedPath, text: string): WriteOutcome {
  try {
    mkdirSync(dirname(located.path), { recursive: true });
    return lstatSync(located.path, { throwIfNoEntry: false }) === undefined
      ? createFile(ctx, located, text)
      : overwriteFile(ctx, located, text);
  } catch (error) {
    const outcome = failed(located, error);
    return outcome.kind === "refused" ? outcome : refused(`${located.shown} is a folder, or its folder is gone`);
  }
}

function createFile(ctx: ToolContext, located: LocatedPath, text: string): WriteOutcome {
  const file = openSync(located.path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o666);
  try {
    if (!isStillThere(ctx, located, fstatSync(file))) {
      rmSync(located.path, { force: true });
      return refused(MOVED);
    }
    writeFileSync(file, text);
    return { kind: "written" };
  } finally {
    closeSync(file);
  }
}

function overwriteFile(ctx: ToolContext, located: LocatedPath, text: string): WriteOutcome {
  // Without truncation: nothing may change before the place is checked.
  const file = openSync(located.path, constants.O_WRONLY | NO_FOLLOW | NO_WAIT);
  try {
    const there = fstatSync(file);
    if (!there.isFile()) return refused(`${located.shown} is not a regular file`);
    if (!isStillThere(ctx, located, there)) return refused(MOVED);
    if (there.nlink > 1)
      return refused(`${located.shown} has ${there.nlink} hard links, so another file outside may change with it`);
    ftruncateSync(file, 0);
    writeFileSync(file, text);
    return { kind: "written" };
  } finally {
    closeSync(file);
  }
}

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
/** Opening a pipe does not wait for a writer. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const MOVED = "its place changed while it was opened";

/** True if the open file is the one at that path, and the path still leads to the same place. */
function isStillThere(ctx: ToolContext, { path, place }: LocatedPath, open: Stats): boolean {
  if (realpathSync(path) !== path || locatePath(ctx, path).place !== place) return false;
  const now = lstatSync(path);
  return now.ino === open.ino && now.dev === open.dev;
}

function readWhole(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  while (at < size) {
    const got = readSync(file, bytes, at, size - at, null);
    if (got === 0) break;
    at += got;
  }
  return bytes.subarray(0, at);
}

function failed({ shown }: LocatedPath, error: unknown): FileContent {
  const code = systemErrorCode(error);
  if (code === "") throw error;
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
  if (code === "EISDIR") return { kind: "folder" };
  return refused(code === "ELOOP" ? `${shown} is a link` : `${shown} cannot be opened (${code})`);
}

function refused(why: string): { readonly kind: "refused"; readonly why: string } {
  return { kind: "refused", why };
}
