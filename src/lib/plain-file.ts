import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { systemErrorCode } from "./errors.ts";
import { isWithin } from "./within.ts";

export type PlainText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" }
  /** Why it is not read, such as `it is not a regular file`. */
  | { readonly kind: "refused"; readonly why: string };

export interface ReadBounds {
  /** Links must not lead out of this folder: a cloned repository may contain links to anywhere. */
  readonly within?: string | undefined;
  readonly mostBytes?: number | undefined;
}

export const MEGABYTE = 1_000_000;

/**
 * Reads a file that this program did not write. Devices, pipes and sockets are refused, because reading them may
 * never end or may block. Nothing beyond `mostBytes` is read, whatever size the file claims.
 */
export function readPlainFile(path: string, { within, mostBytes = MEGABYTE }: ReadBounds = {}): PlainText {
  try {
    if (within !== undefined && !isWithin(path, within)) return refused("it links to a place outside the workspace");
    // Checked first: most homes have no settings file, and an exception is slower than a check.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { kind: "missing" };
    // O_NONBLOCK: opening a pipe does not wait for a writer.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!fstatSync(file).isFile()) return refused("it is not a regular file");
      const bytes = readUpTo(file, mostBytes);
      return bytes === null
        ? refused(`it is larger than ${mostBytes} bytes`)
        : { kind: "text", text: bytes.toString("utf8") };
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === "") throw cause;
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "missing" } : refused(`it cannot be read (${code})`);
  }
}

/** The text; null if it is missing or refused. */
export function readPlainText(path: string, bounds: ReadBounds = {}): string | null {
  const read = readPlainFile(path, bounds);
  return read.kind === "text" ? read.text : null;
}

function refused(why: string): PlainText {
  return { kind: "refused", why };
}

function readUpTo(file: number, most: number): Buffer | null {
  const claimed = fstatSync(file).size;
  if (claimed > most) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    // One byte more than the claimed size, so that the second read hits the end.
    const chunk = Buffer.allocUnsafe(Math.max(4_096, claimed + 1 - size));
    const got = readSync(file, chunk, 0, chunk.length, null);
    if (got === 0) return Buffer.concat(chunks, size);
    size += got;
    if (size > most) return null;
    chunks.push(chunk.subarray(0, got));
  }
}
