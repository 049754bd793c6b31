import { isRecord } from "../../lib/json.ts";

const fields = ["file_path", "path", "filePath", "notebook_path", "target_file", "absolute_path"];

/** Returns the file that a call names, in a field of any host or in a patch; null if it names none. */
export function findNamedFile(input: unknown): string | null {
  if (typeof input === "string") return /^\*\*\* (?:Update|Add|Delete) File: (.+)$/m.exec(input)?.[1]?.trim() ?? null;
  if (!isRecord(input)) return null;
  for (const field of fields) {
    const value = input[field];
    if (typeof value === "string" && value !== "") return value;
  }
  return findNamedFile(input["input"] ?? input["patch"] ?? null);
}
