import { createHash } from "node:crypto";
import { createReadStream, existsSync, lstatSync, readdirSync, readlinkSync, rmdirSync, type Stats } from "node:fs";
import { open, readFile, rename, rm, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import type { Checkpoint } from "../../store/chat/checkpoints.ts";
import { hashBytes, keepContent, readContent, writeDurably } from "./kept-contents.ts";

/** What is at a path, and how it can be put back. */
export type KeptState = Pick<Checkpoint, "before" | "mode">;

/**
 * Keeps what is at a path now. `before` is `file HASH`, `link HASH` (the hash of where it points to), or `none N`: nothing,
 * and N of its parent folders are missing too.
 */
export async function keepState(
  of: { readonly home: string; readonly now: number; readonly mostBytes: number },
  path: string,
): Promise<KeptState> {
  const found = statLink(path);
  if (found === undefined) return { before: `none ${countMissingFolders(path)}`, mode: null };
  if (found.isSymbolicLink())
    return { before: `link ${await keepContent(of.home, Buffer.from(readlinkSync(path)), of.now)}`, mode: null };
  if (!found.isFile())
    throw new OldhandError("refused", `${path} is not a file, so a change of it could not be taken back`);
  if (found.size > of.mostBytes)
    throw new OldhandError(
      "refused",
      `${path} has ${Math.ceil(found.size / MEGABYTE)} MB, so a change of it could not be taken back`,
      { hint: "raise the limit: oldhand config set chat.checkpointFileMegabytes N" },
    );
  return { before: `file ${await keepContent(of.home, await readFile(path), of.now)}`, mode: found.mode & 0o7777 };
}

const MEGABYTE = 1_000_000;

/** What is at a path now, to be compared: `none`, `file HASH`, `link HASH` or `other`. */
export async function readState(path: string): Promise<string> {
  const found = statLink(path);
  if (found === undefined) return "none";
  if (found.isSymbolicLink()) return `link ${hashBytes(Buffer.from(readlinkSync(path)))}`;
  if (!found.isFile()) return "other";
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return `file ${hash.digest("hex")}`;
}

export function matchesState(kept: string, now: string): boolean {
  return kept === now || (now === "none" && kept.startsWith("none"));
}

/** The hash of the bytes that a kept state needs; null if it needs none. */
export function contentOf(kept: string): string | null {
  const [kind = "", hash = ""] = kept.split(" ");
  return kind === "none" ? null : hash;
}

/** Puts back what was kept. It is replaced in one step: whoever reads the file sees the old bytes or the new ones. */
export async function restoreState(home: string, path: string, { before, mode }: KeptState): Promise<void> {
  const [kind = "", rest = ""] = before.split(" ");
  if (kind === "none") return rm(path, { force: true });
  const bytes = readContent(home, rest);
  if (bytes === null) throw new OldhandError("store-corrupt", `the copy of ${path} is gone or damaged`);
  makeFolder(dirname(path));
  // Always the same name: what a killed process left is replaced by the next try.
  const fresh = `${path}.oldhand-undo`;
  if (kind === "link") {
    await rm(fresh, { force: true });
    await symlink(Buffer.from(bytes).toString(), fresh);
  } else await writeDurably(fresh, bytes, mode ?? 0o644);
  await rename(fresh, path);
  await syncFolder(dirname(path));
}

/** A rename is on disk when its folder is. Windows has nothing like it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

/** Undefined if nothing is there, also if one of its folders is a file. */
export function statLink(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemErrorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function countMissingFolders(path: string): number {
  let missing = 0;
  for (let at = dirname(path); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing++;
  return missing;
}

/** Removes the folders that changes made, as far as nothing else is in them. */
export function removeMadeFolders(all: readonly Pick<Checkpoint, "path" | "before">[]): void {
  const made = new Set<string>();
  for (const { path, before } of all) {
    const [kind = "", missing = ""] = before.split(" ");
    let folder = dirname(path);
    for (let left = kind === "none" ? Number(missing) : 0; left > 0; left--, folder = dirname(folder)) made.add(folder);
  }
  for (const folder of [...made].toSorted((a, b) => b.length - a.length))
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
