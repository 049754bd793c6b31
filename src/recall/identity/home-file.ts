import { existsSync, readFileSync } from "node:fs";
import { redact } from "../../domain/redact/redact.ts";
import { OldhandError } from "../../lib/errors.ts";
import { storable } from "../../lib/text.ts";

/** The text of a file in the home that the owner may edit; null if missing. Throws if it is not UTF-8. */
export function readHomeFile(path: string): string | null {
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes))
    throw new OldhandError("input", `${path} is not UTF-8; it was not changed`, { hint: "save it as UTF-8" });
  return text;
}

/** The text as the journal stores it. */
export function toStoredText(text: string): string {
  return storable(redact(text));
}
