import { isRecord } from "../lib/json.ts";
import type { State } from "./journal.ts";
import { redactValue } from "./redact/redact.ts";

/**
 * A member of the settings file as the journal keeps it: a group such as `models` with one field for each value (`use`,
 * `endpoints.workshop.url`), or a single setting with the field `value`. A secret is never kept: a mark stands for it.
 */
export type SettingState = State & { readonly id: string };

/** The member of the file that holds a setting; null if it is not journalled: the journal is in the database itself. */
export function journalledMember(path: string): string | null {
  const [member = ""] = path.split(".");
  return member === "database" ? null : member;
}

/** Null if the file does not have the member. */
export function toSettingState(id: string, member: unknown): SettingState | null {
  if (member === undefined) return null;
  return { id, ...(isRecord(member) ? hideIn(flatten(member)) : hideIn({ value: member })) };
}

/** The settings that differ, as full paths with their new values; undefined restores the default. */
export function changedSettings(
  id: string,
  { before, after }: { readonly before: State | null; readonly after: State | null },
): readonly (readonly [path: string, value: unknown])[] {
  return changedFields({ before, after }).map((field) => [field === "value" ? id : `${id}.${field}`, after?.[field]]);
}

export function changedFields({
  before,
  after,
}: {
  readonly before: State | null;
  readonly after: State | null;
}): readonly string[] {
  return Object.keys({ ...before, ...after }).filter(
    (field) => field !== "id" && JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]),
  );
}

/** True if a value is a mark that stands for a secret. */
export function isHiddenValue(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes(MARK);
}

function flatten(group: Readonly<Record<string, unknown>>, at = ""): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(group).flatMap(([name, value]) =>
      isRecord(value) ? Object.entries(flatten(value, `${at}${name}.`)) : [[`${at}${name}`, value] as const],
    ),
  );
}

function hideIn(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isSecret(value) ? MARK : value]));
}

function isSecret(value: unknown): boolean {
  const isAddressWithUser = typeof value === "string" && /:\/\/[^@/]*@/.test(value);
  return isAddressWithUser || JSON.stringify(redactValue(value)) !== JSON.stringify(value);
}

const MARK = "(a secret, not stored)";
