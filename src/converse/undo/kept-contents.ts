import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzip } from "node:zlib";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";
import { makeFolder } from "../../lib/make-folder.ts";

const FOLDER = "checkpoints";

export function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Keeps bytes under their hash, compressed, in oldhand's home; only its owner can read them. Resolves when they are on disk.
 * The same bytes are kept once.
 */
export async function keepContent(home: string, bytes: Uint8Array, now: number): Promise<string> {
  const hash = hashBytes(bytes);
  const path = contentPath(home, hash);
  if (existsSync(path)) {
    // A new use: what is young is not removed by another process that cleans up.
    utimesSync(path, now / 1_000, now / 1_000);
    return hash;
  }
  makeFolder(join(home, FOLDER, hash.slice(0, 2)), 0o700);
  const fresh = `${path}.${process.pid}.new`;
  try {
    await writeDurably(fresh, await promisify(gzip)(bytes), 0o600);
    await rename(fresh, path);
  } catch (cause) {
    await rm(fresh, { force: true });
    const isFull = systemErrorCode(cause) === "ENOSPC";
    throw new OldhandError(
      isFull ? "store-full" : "config",
      `a copy for /undo cannot be kept in ${join(home, FOLDER)}`,
      {
        hint: isFull ? "the disk is full; the file was not changed" : "the file was not changed",
        cause,
      },
    );
  }
  return hash;
}

/** Null if it is not there, or damaged. */
export function readContent(home: string, hash: string): Uint8Array | null {
  const path = contentPath(home, hash);
  if (!existsSync(path)) return null;
  try {
    const bytes = gunzipSync(readFileSync(path));
    return hashBytes(bytes) === hash ? bytes : null;
  } catch {
    return null;
  }
}

/** Everything that is kept, with its size on disk. */
export function listContents(
  home: string,
): readonly { readonly hash: string; readonly bytes: number; readonly at: number }[] {
  const folder = join(home, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((part) =>
    readdirSync(join(folder, part)).flatMap((name) => {
      const found = statSync(join(folder, part, name), { throwIfNoEntry: false });
      return found === undefined ? [] : [{ hash: name, bytes: found.size, at: found.mtimeMs }];
    }),
  );
}

export function removeContent(home: string, hash: string): void {
  rmSync(contentPath(home, hash), { force: true });
}

/** Writes a new file; its bytes are on disk when this resolves. */
export async function writeDurably(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

function contentPath(home: string, hash: string): string {
  return join(home, FOLDER, hash.slice(0, 2), hash);
}
