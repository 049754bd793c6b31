import { MINUTE } from "../../lib/clock.ts";
import { findMainCommand, isShellTool } from "../shell/command.ts";
import { asksForHelp } from "../shell/help-call.ts";
import { splitPackageHead } from "../shell/package-scope.ts";
import { runsSameScript } from "../shell/run-script.ts";
import { findShellText } from "../shell/shell-text.ts";
import { isEditTool } from "../text/edit-text.ts";
import { findNamedFile } from "../text/named-file.ts";
import { type Event, isFailure } from "./event.ts";
import { isAlternativeCall } from "./alternative-call.ts";

/** A failed call and the later call that achieved what it was meant to do. */
export interface Recovery {
  /** Event ids. */
  readonly failure: number;
  readonly recovery: number;
  /** The distance from the failure, in calls. */
  readonly apart: number;
  /**
   * The cost besides the failed call: calls, time and characters up to the recovery, or up to the next failure, which
   * is charged for the rest.
   */
  readonly calls: number;
  readonly ms: number;
  readonly characters: number;
  /** The tools used in between; null for a shell call. For an edit, reading the file was often missing. */
  readonly through: string | null;
}

export type SessionCall = Pick<
  Event,
  "id" | "at" | "tool" | "head" | "input" | "outcome" | "benign" | "error" | "text" | "durationMs"
>;

/** Pairs farther apart are chance. Readers may set a smaller limit. */
export const MAX_RECOVERY_DISTANCE = 20;

/** Expects the calls of one session by one agent, in order. The first call that qualifies is the recovery. */
export function pairRecoveries(calls: readonly SessionCall[]): readonly Recovery[] {
  const purposes = calls.map(purposeOf);
  return calls.flatMap((failure, at) => {
    if (!isFailure(failure)) return [];
    const purpose = purposes[at] ?? null;
    const until = Math.min(calls.length - 1, at + MAX_RECOVERY_DISTANCE);
    for (let i = at + 1; i <= until; i++) {
      const call = calls[i] as SessionCall;
      if (call.outcome !== "ok" || isSame(failure, call) || isInformationCall(call)) continue;
      const isOfPurpose = purpose !== null && purposes[i] === purpose && !isOfOtherScript(failure, call);
      if (!isOfPurpose && !isAlternativeCall(failure, call)) continue;
      return [{ failure: failure.id, recovery: call.id, apart: i - at, ...lostBetween(calls, at, i) }];
    }
    return [];
  });
}

/** A longer gap means that the user was away. */
const MOST_IDLE = 10 * MINUTE;

function lostBetween(
  calls: readonly SessionCall[],
  from: number,
  to: number,
): Pick<Recovery, "calls" | "ms" | "characters" | "through"> {
  const next = calls.findIndex((call, i) => i > from && i < to && isFailure(call));
  const end = next === -1 ? to : next;
  let ms = 0;
  for (let i = from; i < end; i++) ms += Math.min(Math.max(0, timeOf(calls, i + 1) - timeOf(calls, i)), MOST_IDLE);
  const between = calls.slice(from + 1, end);
  const tools = new Set(calls.slice(from + 1, to).map((call) => call.tool ?? ""));
  return {
    calls: between.length,
    ms,
    characters: between.reduce((sum, call) => sum + charactersOf(call), 0),
    through: isShellTool(calls[from]?.tool ?? "") || tools.size === 0 ? null : [...tools].slice(0, 3).join(", "),
  };
}

function timeOf(calls: readonly SessionCall[], i: number): number {
  return calls[i]?.at ?? 0;
}

function charactersOf(call: SessionCall): number {
  const input = call.input === null ? 0 : (JSON.stringify(call.input)?.length ?? 0);
  return input + (call.error ?? call.text ?? "").length;
}

/**
 * The same command again is a retry, not a recovery. An edit may be repeated unchanged: what was missing came in
 * between.
 */
function isSame(a: SessionCall, b: SessionCall): boolean {
  const [before, after] = [a, b].map((call) => shellOf(call)?.replace(/\s+/g, " ").trim());
  return before !== undefined && before === after;
}

/** `pytest --version` after a failed `pytest` looks for the cause; it does not do the work. */
export function isInformationCall(call: SessionCall): boolean {
  return asksForHelp(shellOf(call) ?? "");
}

/** `python3 load.py` after a failed `python3 fetch.py` is another task. */
function isOfOtherScript(failed: SessionCall, later: SessionCall): boolean {
  const [before, after] = [failed, later].map((call) => findMainCommand(shellOf(call) ?? ""));
  return before != null && after != null && !runsSameScript(before, after);
}

function shellOf(call: SessionCall): string | null {
  return call.tool !== null && isShellTool(call.tool) ? findShellText(call.input) : null;
}

/** A key for what a call is for: equal keys mean the same purpose. Null if nothing can recover it. */
function purposeOf(call: SessionCall): string | null {
  if (call.tool === null) return null;
  if (isShellTool(call.tool)) return call.head === null || call.head === "" ? null : normalisePurpose(call.head);
  const file = isEditTool(call.tool) ? findNamedFile(call.input) : null;
  return file === null ? null : `edit ${file}`;
}

/** The head without its launcher, with equivalent programs under one name: `npm test` and `pnpm run test` are equal. */
export function normalisePurpose(head: string): string {
  const { plain, of } = splitPackageHead(head);
  const purpose = purposeOfHead(plain);
  return of === null ? purpose : `${purpose} of ${of}`;
}

function purposeOfHead(head: string): string {
  const launched = head.replace(launchers, "");
  const [program = "", ...rest] = launched.split(" ");
  const family =
    siblings.get(program.replace(/^(python|pip)[\d.]+$/, "$1")) ?? program.replace(/^python[\d.]+$/, "python");
  if (family === "js") return ["js", ...jsScript(rest)].join(" ");
  // `python -m pip` has no subcommand in its head.
  return family === "pip" ? family : [family, ...rest].join(" ");
}

/** Prefixes that only start another program. */
const launchers =
  /^(?:(?:uv|poetry|pdm|pipenv|hatch|rye|pipx) run |(?:npx|bunx|uvx) |(?:npm|pnpm|yarn) (?:exec|dlx) |bun x |bundle exec |python[\d.]* -m )(?=\S)/;

const siblings: ReadonlyMap<string, string> = new Map([
  ["npm", "js"],
  ["pnpm", "js"],
  ["yarn", "js"],
  ["bun", "js"],
  ["py", "python"],
  ["pypy", "python"],
  ["pip", "pip"],
  ["py.test", "pytest"],
  ["docker-compose", "docker compose"],
  ["egrep", "grep"],
  ["rg", "grep"],
  ["ag", "grep"],
  ["fd", "find"],
  ["fdfind", "find"],
  ["gradlew", "gradle"],
  ["mvnw", "mvn"],
  ["nodejs", "node"],
]);

function jsScript([first = "", ...rest]: readonly string[]): readonly string[] {
  if (first === "run" || first === "run-script") return rest;
  const short = jsShort.get(first);
  return short === undefined ? [first, ...rest] : [short, ...rest];
}

const jsShort: ReadonlyMap<string, string> = new Map([
  ["t", "test"],
  ["i", "install"],
  ["ci", "install"],
  ["add", "install"],
]);
