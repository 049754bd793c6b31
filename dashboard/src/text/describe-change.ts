import type { Change } from "../api/contract.ts";
import { formatPercent } from "./count.ts";
import { formatValue, isRecord, listDifferencesBetween } from "./difference.ts";

type ChangeText = Pick<Change, "noun" | "subject" | "before" | "after" | "undoes" | "scrubbed">;

/** The text of the changed rule, memory or ledger entry, or the identity file's name; the id if there is none. */
export function nameSubject({ noun, subject, before, after }: ChangeText): string {
  for (const state of [after, before]) {
    if (!isRecord(state)) continue;
    const words = state["what"] ?? (noun === "identity" ? state["file"] : state["text"]);
    if (typeof words === "string" && words !== "") return words;
  }
  return subject;
}

/** "made", "removed", "forgotten", or each changed field with its old and new value. */
export function describeChange({ before, after, undoes, scrubbed }: ChangeText): string {
  if (scrubbed) return "forgotten";
  if (before === null) return "made";
  if (after === null) return "removed";
  const parts = listDifferencesBetween(before, after).map((one) => ({ ...one, path: one.path.split(".")[0] ?? "" }));
  const described = new Set<string>();
  const words = parts.flatMap((part) => {
    if (described.has(part.path)) return [];
    described.add(part.path);
    const [from, to] = [readValue(before, part.path), readValue(after, part.path)];
    return [isShort(from) && isShort(to) ? `${nameField(part.path)}${from} → ${to}` : `${part.path} changed`];
  });
  const what = words.length === 0 ? "nothing changed" : words.join(", ");
  return undoes === null ? what : `undone: ${what}`;
}

const LONGEST = 24;

// The values of status and level need no field name.
function nameField(path: string): string {
  return path === "status" || path === "level" ? "" : `${path} `;
}

function readValue(state: unknown, path: string): string {
  const value = isRecord(state) ? state[path] : undefined;
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const isShare = typeof value === "number" && (path === "confidence" || path === "salience");
  return isShare ? formatPercent(value) : formatValue(value);
}

function isShort(text: string): boolean {
  return text.length <= LONGEST && !text.includes("\n");
}
