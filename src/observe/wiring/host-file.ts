import { OldhandError } from "../../lib/errors.ts";
import { MEGABYTE, type PlainText, readPlainFile } from "../../lib/plain-file.ts";

/** Some hosts keep their history in their settings. */
const MOST_BYTES = 32 * MEGABYTE;

export function readHostFile(path: string): PlainText {
  return readPlainFile(path, { mostBytes: MOST_BYTES });
}

/** A host's file that is to be changed; null where there is none. */
export function readHostFileText(path: string): string | null {
  const read = readHostFile(path);
  if (read.kind === "refused")
    throw new OldhandError("input", `${path} was not changed: ${read.why}`, {
      hint: "correct it, or move it away, then try again",
    });
  return read.kind === "text" ? read.text : null;
}

/** The same for whoever only looks: what cannot be read says nothing. */
export function readHostFileTextIfReadable(path: string): string | null {
  const read = readHostFile(path);
  return read.kind === "text" ? read.text : null;
}
