import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfig, type OffSwitch, settingsFilePath } from "../config.ts";
import { folderCovers } from "../domain/workspace.ts";
import { SECOND } from "../lib/clock.ts";
import { hashText } from "../lib/hash.ts";
import { isRecord, tryParseJson } from "../lib/json.ts";
import { makeFolder } from "../lib/make-folder.ts";

/**
 * When oldhand was off on this machine, so that neither hooks (from transcripts) nor imports read later what happened
 * then. Holds only times, folders that the owner named, and hashes of session ids.
 */
export interface OffTimes {
  has(event: EventTime): boolean;
  /** True if it was off there at any time after the event. */
  hasSince(event: EventTime): boolean;
}

/** With `durationMs`, an event that began while oldhand was off counts as off too. */
interface EventTime {
  readonly host: string;
  readonly session: string;
  readonly at: number;
  readonly workspace: string | null;
  readonly durationMs?: number | null;
}

/** A period of being off by the settings: everywhere, or in one folder. */
interface Period {
  readonly workspace: string | null;
  readonly from: number;
  /** Null if it is still off. */
  readonly to: number | null;
}

type Session = Pick<EventTime, "host" | "session">;
type Span = Pick<Period, "from" | "to">;

export function readOffTimes(home: string, now: number): OffTimes {
  const periods = readCurrentPeriods(home, now);
  const spans = new Map<string, Span | null>();
  const spanOf = (session: Session) => {
    const file = sessionFile(home, session);
    if (!spans.has(file)) spans.set(file, readSpan(file));
    return spans.get(file) ?? null;
  };
  const hasSessions = existsSync(join(home, FOLDER, SESSIONS));
  return {
    has: (event) =>
      periods.some((one) => coversWorkspace(one, event.workspace) && isDuring(one, event)) ||
      (hasSessions && isDuring(spanOf(event), event)),
    hasSince: (event) =>
      periods.some((one) => coversWorkspace(one, event.workspace) && isAfter(one, event)) ||
      (hasSessions && isAfter(spanOf(event), event)),
  };
}

/** Updates the record from the settings: what is off from now on, and what is on again. */
export function recordSwitch(home: string, off: OffSwitch, at: number): void {
  const before = readPeriods(home);
  const after = updatePeriods(before, off, at);
  if (after !== before) writePeriods(home, after);
}

/** The same for settings that were edited by hand: uses the file's modification time. */
export function recordSettingsSwitch(home: string, off: OffSwitch, now: number): void {
  recordSwitch(home, off, readSettingsTime(home, now));
}

/** Records that a hook ran with `OLDHAND_OFF=1`: its session counts as off until another hook of it runs normally. */
export function recordSessionOff(home: string, session: Session, now: number): void {
  // Without a home there is no mind, and nothing to import later.
  if (!existsSync(home)) return;
  const file = sessionFile(home, session);
  const known = readSpan(file);
  if (known !== null && known.to === null) return;
  // The host records a prompt shortly before the hook runs.
  replaceNote(file, JSON.stringify({ from: known?.from ?? now - SLACK_MS, to: null }));
}

/** Records that a hook of the session ran normally again. */
export function recordSessionOn(home: string, session: Session, now: number): void {
  const file = sessionFile(home, session);
  const known = readSpan(file);
  if (known !== null && known.to === null) replaceNote(file, JSON.stringify({ from: known.from, to: now }));
}

const FOLDER = "off";
const SESSIONS = "sessions";
const SLACK_MS = 2 * SECOND;
/** More than anybody needs; the oldest are dropped first. */
const MOST_PERIODS = 2_000;

/** Includes changes that were made to the settings by hand. For a home that was never off this costs one file check. */
function readCurrentPeriods(home: string, now: number): readonly Period[] {
  const periods = readPeriods(home);
  if (!periods.some((one) => one.to === null)) return periods;
  const { off, fileFault } = loadConfig({ home, env: {} });
  // If the settings cannot be read, it is unknown whether it is on again.
  return fileFault === null ? updatePeriods(periods, off, readSettingsTime(home, now)) : periods;
}

function updatePeriods(periods: readonly Period[], off: OffSwitch, at: number): readonly Period[] {
  const wanted: readonly (string | null)[] = [...(off.everywhere ? [null] : []), ...off.workspaces];
  const open = new Set(periods.flatMap((one) => (one.to === null ? [one.workspace] : [])));
  const ended = [...open].filter((target) => !wanted.includes(target));
  const begun = wanted.filter((target) => !open.has(target));
  if (ended.length + begun.length === 0) return periods;
  return [
    ...periods.map((one) =>
      one.to === null && ended.includes(one.workspace) ? { ...one, to: Math.max(one.from, at) } : one,
    ),
    ...begun.map((workspace) => ({ workspace, from: at, to: null })),
  ];
}

function readSettingsTime(home: string, now: number): number {
  return Math.min(now, statSync(settingsFilePath(home), { throwIfNoEntry: false })?.mtimeMs ?? now);
}

function coversWorkspace({ workspace }: Period, target: string | null): boolean {
  return workspace === null || (target !== null && folderCovers(workspace, target));
}

function isDuring(span: Span | null, { at, durationMs }: EventTime): boolean {
  if (span === null) return false;
  const to = span.to ?? Number.POSITIVE_INFINITY;
  return at >= span.from && at - (durationMs ?? 0) < to;
}

function isAfter(span: Span | null, { at }: EventTime): boolean {
  return span !== null && (span.to ?? Number.POSITIVE_INFINITY) > at;
}

function readPeriods(home: string): readonly Period[] {
  const value = readJson(join(home, FOLDER, "periods.json"));
  return Array.isArray(value) ? value.filter(isPeriod) : [];
}

function writePeriods(home: string, periods: readonly Period[]): void {
  const lines = periods.slice(-MOST_PERIODS).map((one) => JSON.stringify(one));
  replaceNote(join(home, FOLDER, "periods.json"), `[\n${lines.join(",\n")}\n]\n`);
}

/** Atomic. Does not use `lib/replace-file.ts`, because every hook would have to load it. */
function replaceNote(file: string, text: string): void {
  makeFolder(dirname(file), 0o700);
  const fresh = `${file}.${process.pid}.new`;
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, file);
}

function readSpan(file: string): Span | null {
  const value = readJson(file);
  return isSpan(value) ? value : null;
}

function readJson(file: string): unknown {
  return existsSync(file) ? tryParseJson(readFileSync(file, "utf8")) : undefined;
}

function isPeriod(value: unknown): value is Period {
  return isSpan(value) && "workspace" in value && (value.workspace === null || typeof value.workspace === "string");
}

function isSpan(value: unknown): value is Span {
  return isRecord(value) && typeof value["from"] === "number" && [null, "number"].includes(typeName(value["to"]));
}

function typeName(value: unknown): string | null {
  return value === null ? null : typeof value;
}

function sessionFile(home: string, { host, session }: Session): string {
  return join(home, FOLDER, SESSIONS, hashText(JSON.stringify([host, session])));
}
