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

/** The name under which a member is journalled. Settings are of one machine, also if several share the mind. */
export function toSettingSubject(member: string, machine: string | null): string {
  return machine === null ? member : `${machine}:${member}`;
}

/** The inverse. The machine is null in a mind of one machine, and of an earlier version. */
export function parseSettingSubject(subject: string): { readonly machine: string | null; readonly member: string } {
  const at = subject.lastIndexOf(":");
  return at === -1
    ? { machine: null, member: subject }
    : { machine: subject.slice(0, at), member: subject.slice(at + 1) };
}

/** Null if the file does not have the member. */
export function toSettingState(id: string, member: unknown): SettingState | null {
  if (member === undefined) return null;
  return { id, ...(isRecord(member) ? hideIn(flatten(member)) : hideIn({ value: member })) };
}

/** The settings that differ, as full paths with their new values; undefined restores the default. */
export function changedSettings(
  subject: string,
  { before, after }: { readonly before: State | null; readonly after: State | null },
): readonly (readonly [path: string, value: unknown])[] {
  const { member } = parseSettingSubject(subject);
  return changedFields({ before, after }).map((field) => [nameSetting(member, field), after?.[field]]);
}

/** The full path of a setting: its member, and its field in there. */
export function nameSetting(member: string, field: string): string {
  return field === "value" ? member : `${member}.${field}`;
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
