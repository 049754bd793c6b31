import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isOff, type OffSwitch } from "../config.ts";
import type { NewEvent } from "../domain/event/event.ts";
import { MINUTE, systemClock } from "../lib/clock.ts";
import { systemErrorCode } from "../lib/errors.ts";
import { isRecord, tryParseJson } from "../lib/json.ts";
import { countLost } from "../lib/lost.ts";
import { makeFolder } from "../lib/make-folder.ts";
import type { Db } from "../store/engine/db.ts";
import { appendEvents } from "../store/events/events.ts";
import { isMomentStored } from "../store/events/moments.ts";
import { isSelfTest } from "./protocol/self-test-name.ts";

/**
 * Writes events that the store could not take in time to the spool; they are redacted already. The next process with
 * enough time stores them.
 */
export function spoolEvents(home: string, given: readonly NewEvent[], certainty: "wanted" | "unsure" = "wanted"): void {
  const events = given.filter((event) => !isSelfTest(event.session));
  if (events.length === 0) return;
  const folder = join(home, "spool");
  makeFolder(folder, 0o700);
  // Renamed when complete: a reader that took the file while it is being written would lose the rest.
  const ending = certainty === "unsure" ? UNSURE : ".jsonl";
  const file = join(folder, `${process.pid}-${process.hrtime.bigint()}${ending}`);
  try {
    writeFileSync(`${file}.part`, events.map((event) => `${JSON.stringify(event)}\n`).join(""), { mode: 0o600 });
    renameSync(`${file}.part`, file);
  } catch (error) {
    rmSync(`${file}.part`, { force: true });
    throw error;
  }
}

/** Marks a file that was written while it was unknown where oldhand is off. */
const UNSURE = "-unsure.jsonl";

export interface DrainResult {
  readonly stored: number;
  /** Lines truncated by a kill, or not written by this version of oldhand; counted for `oldhand doctor`. */
  readonly lost: number;
}

/** Stores spooled events. If `off` is null (unknown), files marked as unsure stay in the spool. */
export async function drainSpool(db: Db, home: string, off: OffSwitch | null = null): Promise<DrainResult> {
  let stored = 0;
  let lost = 0;
  for (const file of listSpoolFiles(home)) {
    const isUnsure = basename(file).includes(UNSURE);
    if (isUnsure && off === null) continue;
    // Renamed first, so that only one of two readers gets it. A file that a killed reader had renamed is taken over.
    const mine = file.endsWith(".taken") ? file : `${file}.${process.pid}.taken`;
    const text = unlessGone(() => {
      if (mine !== file) renameSync(file, mine);
      return readFileSync(mine, "utf8");
    });
    if (text === null) continue;
    const lines = text.split("\n").filter(Boolean);
    const events = lines.map(tryParseJson).filter(isEvent);
    const wanted = isUnsure && off !== null ? events.filter((event) => !isOff(off, event.workspace)) : events;
    stored += await appendEvents(db, await filterOutStoredMoments(db, wanted));
    rmSync(mine, { force: true });
    lost += lines.length - events.length;
    for (let i = events.length; i < lines.length; i++) countLost(home);
  }
  return { stored, lost };
}

async function filterOutStoredMoments(db: Db, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  const fresh: NewEvent[] = [];
  for (const event of events) if (!(await isMomentStored(db, event))) fresh.push(event);
  return fresh;
}

export function countSpooledFiles(home: string): number {
  return listSpoolFiles(home).length;
}

function listSpoolFiles(home: string): readonly string[] {
  const folder = join(home, "spool");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((file) => /\.(jsonl|taken)$/.test(file) || (file.endsWith(".part") && isAbandoned(file)));
}

/** True if its writer was killed before it could rename the file. */
function isAbandoned(file: string): boolean {
  const stat = unlessGone(() => statSync(file));
  return stat !== null && systemClock.now() - stat.mtimeMs > MINUTE;
}

/** Null if another reader was faster. */
function unlessGone<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

const textFields = [
  "workspace",
  "cwd",
  "tool",
  "head",
  "outcome",
  "error",
  "signature",
  "text",
  "model",
  "agent",
] as const;
const numberFields = ["seq", "exitCode", "durationMs"] as const;

/** Every field is checked, because one line that the store refuses would block all others forever. */
function isEvent(value: unknown): value is NewEvent {
  return (
    isRecord(value) &&
    ["host", "session", "uid", "kind"].every((name) => typeof value[name] === "string") &&
    typeof value["at"] === "number" &&
    textFields.every((name) => value[name] === null || typeof value[name] === "string") &&
    numberFields.every((name) => value[name] === null || typeof value[name] === "number") &&
    (value["ok"] === null || typeof value["ok"] === "boolean") &&
    typeof value["benign"] === "boolean"
  );
}
