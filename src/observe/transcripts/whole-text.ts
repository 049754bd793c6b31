import { OldhandError } from "../../lib/errors.ts";
import { MEGABYTE, readPlainFile } from "../../lib/plain-file.ts";

/** A file that has to be read at once, since all of it is one JSON text. */
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
