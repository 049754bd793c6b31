import type { Change } from "../api/contract.ts";
import { formatPercent } from "./count.ts";
import { formatValue, isRecord, listDifferencesBetween } from "./difference.ts";

type ChangeText = Pick<Change, "noun" | "subject" | "before" | "after" | "undoes" | "scrubbed">;

const nouns: Readonly<Record<string, string>> = { identity: "identity file", "identity-proposal": "identity proposal" };

/** The field that names a thing of this kind, if it is not `text`. */
const nameFields: Readonly<Record<string, string>> = { identity: "file", "identity-proposal": "reason" };

/** The kind of the changed thing, in words. */
export function nameNoun(noun: string): string {
  return nouns[noun] ?? noun;
}

/** Why it was changed. An operation that somebody ran is the usual cause, so only its note is shown. */
export function describeCause({ kind, note }: Change["cause"]): string {
  return [kind === "operation" ? null : kind, note].filter(Boolean).join(": ");
}

/** The text of the changed rule, memory or ledger entry, the identity file's name, or the proposal's reason; the id if there is none. */
export function nameSubject({ noun, subject, before, after }: ChangeText): string {
  return nameState(noun, after) ?? nameState(noun, before) ?? subject;
}

/** The words that name a rule, memory, ledger entry, identity file or proposal; null if it has none. */
export function nameState(noun: string, state: unknown): string | null {
  if (!isRecord(state)) return null;
  const words = state["what"] ?? state[nameFields[noun] ?? "text"];
  return typeof words === "string" && words !== "" ? words : null;
}

/** "created", "removed", "forgotten", or each changed field with its old and new value. */
export function describeChange({ before, after, undoes, scrubbed }: ChangeText): string {
  if (scrubbed) return "forgotten";
  if (before === null) return "created";
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
