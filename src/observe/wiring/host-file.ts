import { OldhandError } from "../../lib/errors.ts";
import { MEGABYTE, type PlainText, readPlainFile } from "../../lib/plain-file.ts";

/** Some hosts keep their history in their settings file. */
const MOST_BYTES = 32 * MEGABYTE;

export function readHostFile(path: string): PlainText {
  return readPlainFile(path, { mostBytes: MOST_BYTES });
}

/** The text of a host's file that is to be changed; null if it does not exist. Throws if it cannot be read. */
export function readHostFileText(path: string): string | null {
  const read = readHostFile(path);
  if (read.kind === "refused")
    throw new OldhandError("input", `${path} was not changed: ${read.why}`, {
      hint: "correct it, or move it away, then try again",
    });
  return read.kind === "text" ? read.text : null;
}

/** The same for callers that only look: null if it cannot be read. */
export function readHostFileTextIfReadable(path: string): string | null {
  const read = readHostFile(path);
  return read.kind === "text" ? read.text : null;
}
