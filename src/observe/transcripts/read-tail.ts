import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The end of a file; may begin in the middle of a line. Null if it cannot be read. */
export function readFileTail(path: string, bytes: number): string | null {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const tail = Buffer.allocUnsafe(Math.min(size, bytes));
      return tail.toString("utf8", 0, readSync(file, tail, 0, tail.length, size - tail.length));
    } finally {
      closeSync(file);
    }
  } catch {
    // Missing, a folder, or not readable: the caller does without it.
    return null;
  }
}
