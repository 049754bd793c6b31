import { redactValue } from "../../domain/redact/redact.ts";
import { parseTime } from "../../lib/clock.ts";
import { isRecord, nonEmptyText } from "../../lib/json.ts";
import { storable } from "../../lib/text.ts";
import { redactAndCap } from "../protocol/to-event.ts";
import type { SkippedItems } from "./other-store.ts";
import type { TableRow } from "./read-sql-dump.ts";

/** Reads the fields of a row, whatever another product wrote into them. Texts have no secrets any more. */
export function fieldsOf(row: TableRow, mostCharacters: number) {
  const text = (name: string) => {
    const value = nonEmptyText(row[name]);
    return value === null ? null : redactAndCap(value, mostCharacters);
  };
  return {
    text,
    /** A text, or whatever else is there as JSON. */
    json: (name: string) => {
      const value = row[name];
      if (value === null || value === undefined || typeof value === "string") return text(name);
      return redactAndCap(JSON.stringify(value), mostCharacters);
    },
    name: (name: string) => {
      const value = row[name];
      return typeof value === "number" ? String(value) : storable(nonEmptyText(value) ?? "") || null;
    },
    time: (name: string) => parseTime(row[name]),
    number: (name: string, otherwise: number) => {
      const value = row[name] === null || row[name] === "" ? Number.NaN : Number(row[name]);
      return Number.isFinite(value) ? value : otherwise;
    },
    record: (name: string) =>
      isRecord(row[name]) ? (redactValue(row[name]) as Readonly<Record<string, unknown>>) : {},
    list: (name: string) => (Array.isArray(row[name]) ? (redactValue(row[name]) as readonly unknown[]) : []),
  };
}

/** The fields of a table that are not known, so that nothing is lost without a word. */
export function listUnknownFields(
  table: string,
  rows: readonly TableRow[],
  known: readonly string[],
): readonly SkippedItems[] {
  const unknown = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => !known.includes(name))));
  if (unknown.size === 0) return [];
  const names = [...unknown].toSorted().slice(0, MOST_NAMED).join(", ");
  return [{ what: `unknown fields of ${table}`, count: unknown.size, why: names }];
}

const MOST_NAMED = 10;

/** Without references to what is not there, and without those that would lead in a circle. */
export function dropUnsoundLinks(
  links: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const sound = new Map<string, readonly string[]>();
  const leadsTo = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (sound.get(from) ?? []).some((next) => leadsTo(next, to, seen));
  };
  for (const [from, targets] of links) {
    const kept: string[] = [];
    sound.set(from, kept);
    for (const to of new Set(targets)) if (links.has(to) && !leadsTo(to, from)) kept.push(to);
  }
  return sound;
}
