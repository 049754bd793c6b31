import { existsSync, readFileSync } from "node:fs";
import { redact } from "../../domain/redact/redact.ts";
import { OldhandError } from "../../lib/errors.ts";
import { storable } from "../../lib/text.ts";

/** A text file of the home that its owner may edit; null where there is none. What is no text is refused, not mended. */
export function readHomeFile(path: string): string | null {
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes))
    throw new OldhandError("input", `${path} is not UTF-8; it was not changed`, { hint: "save it as UTF-8" });
  return text;
}

/** As the journal's door leaves it. */
export function toStoredText(text: string): string {
  return storable(redact(text));
}
