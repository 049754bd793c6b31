import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { systemErrorCode } from "./errors.ts";
import { isWithin } from "./within.ts";

export type PlainText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" }
  /** Why it is not read, such as `it is not a regular file`. */
  | { readonly kind: "refused"; readonly why: string };

export interface ReadBounds {
  /** A link may not lead out of this folder: a cloned repository may hold links to anywhere. */
  readonly within?: string | undefined;
  readonly mostBytes?: number | undefined;
}

export const MEGABYTE = 1_000_000;

/**
 * A file that this program did not write. A device, a pipe or a socket is never read: it may have no end, or keep its
 * reader waiting. Nor is more than a bound, whatever size the file claims.
 */
export function readPlainFile(path: string, { within, mostBytes = MEGABYTE }: ReadBounds = {}): PlainText {
  try {
    if (within !== undefined && !isWithin(path, within)) return refused("it links to a place outside the workspace");
    // Asked first: most homes have no settings file, and an error costs more than a question.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { kind: "missing" };
    // Without waiting for somebody to write into a pipe.
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

/** The text, or null where there is none to read, for whoever does without. */
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
    // One byte more than it claims, so that its end shows in the second read.
    const chunk = Buffer.allocUnsafe(Math.max(4_096, claimed + 1 - size));
    const got = readSync(file, chunk, 0, chunk.length, null);
    if (got === 0) return Buffer.concat(chunks, size);
    size += got;
    if (size > most) return null;
    chunks.push(chunk.subarray(0, got));
  }
}
