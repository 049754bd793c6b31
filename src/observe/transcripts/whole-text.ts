import { OldhandError } from "../../lib/errors.ts";
import { MEGABYTE, readPlainFile } from "../../lib/plain-file.ts";

/** Reads a file that is one JSON text and must be read as a whole. */
export function readWholeText(path: string): string {
  const read = readPlainFile(path, { mostBytes: 128 * MEGABYTE });
  if (read.kind === "text") return read.text;
  throw new OldhandError(
    "input",
    `cannot import ${path}: ${read.kind === "missing" ? "it no longer exists" : read.why}`,
    {
      hint: "check the path; nothing was imported from it",
    },
  );
}
