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
import { isSelfTest } from "./protocol/self-test-name.ts";

/** Where events wait that the store could not take in time; already redacted. The next process with time to spare brings them in. */
export function spoolEvents(home: string, given: readonly NewEvent[], certainty: "wanted" | "unsure" = "wanted"): void {
  const events = given.filter((event) => !isSelfTest(event.session));
  if (events.length === 0) return;
  const folder = join(home, "spool");
  makeFolder(folder, 0o700);
  // Shown to drainers only when whole: one that took the file between our opening and our writing would throw the rest away.
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

/** In the name of a file that was written while nobody could read where oldhand is switched off. */
const UNSURE = "-unsure.jsonl";

export interface DrainResult {
  readonly stored: number;
  /** Lines cut short by a kill, or that no oldhand of this version wrote; counted for `oldhand doctor`. */
  readonly lost: number;
}

/** Without knowing where oldhand is switched off, what was kept in the same doubt goes on waiting. */
export async function drainSpool(db: Db, home: string, off: OffSwitch | null = null): Promise<DrainResult> {
  let stored = 0;
  let lost = 0;
  for (const file of listSpoolFiles(home)) {
    const isUnsure = basename(file).includes(UNSURE);
    if (isUnsure && off === null) continue;
    // Taking the file out of the way first: of two drainers one gets it. What a killed one had taken is taken over.
    const mine = file.endsWith(".taken") ? file : `${file}.${process.pid}.taken`;
    const text = unlessGone(() => {
      if (mine !== file) renameSync(file, mine);
      return readFileSync(mine, "utf8");
    });
    if (text === null) continue;
    const lines = text.split("\n").filter(Boolean);
    const events = lines.map(tryParseJson).filter(isEvent);
    const wanted = isUnsure && off !== null ? events.filter((event) => !isOff(off, event.workspace)) : events;
    stored += await appendEvents(db, wanted);
    rmSync(mine, { force: true });
    lost += lines.length - events.length;
    for (let i = events.length; i < lines.length; i++) countLost(home);
  }
  return { stored, lost };
}

/** How many files wait. */
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

/** Its writer was killed before it could show the file. */
function isAbandoned(file: string): boolean {
  const stat = unlessGone(() => statSync(file));
  return stat !== null && systemClock.now() - stat.mtimeMs > MINUTE;
}

/** Null when another drainer was quicker. */
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

/** One line that the store refuses would keep all the others waiting for ever, so every field is looked at. */
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
