import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DAY, iso, SECOND } from "./clock.ts";
import { makeFolder } from "./make-folder.ts";

/**
 * What a hook did that the server did not answer in time: its call was stopped by the local copy of the rules, was judged by
 * it and passed, or passed unjudged for want of a usable copy; or it was no call, and nothing was said.
 */
export const unreachedKinds = { stopped: "s", passed: "p", missing: "m", old: "o", damaged: "d", unsaid: "u" } as const;
export type UnreachedKind = keyof typeof unreachedKinds;

/** Why: it was too slow, nobody listened, or it answered with an error. */
export const unreachedReasons = { slow: "t", refused: "r", failed: "e" } as const;
export type UnreachedReason = keyof typeof unreachedReasons;

/** How many days are counted. */
export const UNREACHED_DAYS = 7;

/**
 * Counts such a hook on this machine: two letters in a file of its day, because the server that could count it is away. Like
 * `countLost`, it works even if everything else is broken.
 */
export function countUnreached(home: string, kind: UnreachedKind, reason: UnreachedReason, now: number): void {
  const folder = join(home, "unreached");
  const file = join(folder, dayOf(now));
  try {
    makeFolder(folder, 0o700);
    if (!existsSync(file)) removeOldDays(folder, now);
    appendFileSync(file, unreachedKinds[kind] + unreachedReasons[reason], { mode: 0o600 });
  } catch {
    // Nothing can be written, so it cannot be counted.
  }
}

export interface Unreached {
  readonly total: number;
  readonly kinds: Readonly<Record<UnreachedKind, number>>;
  readonly reasons: Readonly<Record<UnreachedReason, number>>;
}

/** The counts of the last days, today included. */
export function readUnreached(home: string, now: number): Unreached {
  const folder = join(home, "unreached");
  const text = existsSync(folder)
    ? listDays(now)
        .map((day) => join(folder, day))
        .map((file) => (existsSync(file) ? readFileSync(file, "latin1") : ""))
        .join("")
    : "";
  const pairs = text.match(/../gs) ?? [];
  const count = <T extends string>(of: Readonly<Record<T, string>>, at: number) =>
    Object.fromEntries(
      Object.entries<string>(of).map(([name, letter]) => [name, pairs.filter((pair) => pair[at] === letter).length]),
    ) as Record<T, number>;
  return { total: pairs.length, kinds: count(unreachedKinds, 0), reasons: count(unreachedReasons, 1) };
}

/** Notes that the server hung for as long as a hook waits, so that the next hooks do not wait as long. */
export function noteHang(home: string, now: number): void {
  const file = hangFile(home);
  try {
    makeFolder(join(home, "unreached"), 0o700);
    appendFileSync(file, "", { mode: 0o600 });
    utimesSync(file, now / SECOND, now / SECOND);
  } catch {
    // The next hook waits as long again.
  }
}

export function hasHungLately(home: string, now: number): boolean {
  const at = statSync(hangFile(home), { throwIfNoEntry: false })?.mtimeMs;
  return at !== undefined && Math.abs(now - at) < HANG_MS;
}

/** Then one hook waits in full again: the server may be back. */
const HANG_MS = 30 * SECOND;

function hangFile(home: string): string {
  return join(home, "unreached", "hang");
}

function dayOf(at: number): string {
  return iso(at).slice(0, 10);
}

function listDays(now: number): readonly string[] {
  return Array.from({ length: UNREACHED_DAYS }, (_, ago) => dayOf(now - ago * DAY));
}

function removeOldDays(folder: string, now: number): void {
  const kept = new Set(listDays(now));
  for (const name of readdirSync(folder))
    if (/^\d{4}-\d\d-\d\d$/.test(name) && !kept.has(name)) rmSync(join(folder, name), { force: true });
}
