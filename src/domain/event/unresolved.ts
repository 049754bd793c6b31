import { isMisspelling } from "../../lib/nearest.ts";
import { isShellTool, findMainCommand } from "../shell/command.ts";
import { findShellText } from "../shell/shell-text.ts";
import { findNamedFile } from "../text/named-file.ts";
import { lastPathName, splitPath } from "../text/path-names.ts";
import { rankPaths } from "../text/rank-paths.ts";
import { isFailure } from "./event.ts";
import { inspectionPrograms } from "./alternative-call.ts";
import { type SessionCall, isInformationCall, normalisePurpose, pairRecoveries } from "./recovery.ts";

/**
 * Returns the failures that no later successful call resolved: the latest one of each kind. Excludes calls of oldhand
 * itself, because only the owner may repeat what it refused.
 */
export function findUnresolvedFailures<T extends SessionCall & { readonly signature: string | null }>(
  calls: readonly T[],
): readonly T[] {
  const recovered = new Set(pairRecoveries(calls).map((one) => one.failure));
  const worked = calls.flatMap((call, at) =>
    call.outcome === "ok" ? [{ at, call: makeCallKey(call), ...inferPurpose(call) }] : [],
  );
  const open = new Map<string, T>();
  for (const [at, call] of calls.entries()) {
    if (!isFailure(call) || isOwnCall(call)) continue;
    const key = makeCallKey(call);
    const kind = call.signature ?? key;
    open.delete(kind);
    if (recovered.has(call.id)) continue;
    const aim = inferPurpose(call);
    const isMadeGood = worked.some((later) => later.at > at && (later.call === key || servesPurpose(aim, later)));
    if (!isMadeGood) open.set(kind, call);
  }
  return [...open.values()];
}

/** What a call is probably for. */
interface CallPurpose {
  /** The program of a command and the names that follow it, split into parts. */
  readonly words: readonly string[];
  /** For a command: its program, and the words behind it that are no options. */
  readonly program: string | null;
  readonly targets: readonly string[];
  /** The file it names, or null. */
  readonly file: string | null;
  /** True if it failed because the file is missing. */
  readonly missing: boolean;
  readonly tests: boolean;
  /** True if it failed because of wrong usage; another way to call the program is then what was meant. */
  readonly misused: boolean;
  /** True if it failed because a name does not exist. */
  readonly misnamed: boolean;
  /** True if it failed because of the state of the machine: signed out, not connected, locked. */
  readonly disconnected: boolean;
  /** The error, in one line; empty for a call that worked. */
  readonly error: string;
  readonly head: string | null;
}

function inferPurpose(call: SessionCall): CallPurpose {
  const words = isInformationCall(call) ? [] : wordsOf(call);
  const command = words.length === 0 ? null : findMainCommand(findShellText(call.input) ?? "");
  return {
    words,
    program: command?.program ?? null,
    targets: command?.words.slice(1).filter((word) => /^[^-]./.test(word)) ?? [],
    file: namedFileOf(call),
    missing: gone.test(call.error ?? ""),
    tests: words.length > 0 && (isTest(call) || passed.test(call.text ?? "")),
    misused: usage.test(call.error ?? ""),
    misnamed: unknownName.test(call.error ?? ""),
    disconnected: state.test(call.error ?? ""),
    error: (call.error ?? "").replace(/\s+/g, " "),
    head: command?.head ?? null,
  };
}

/** True if the program, or one of its first two arguments, names a test; not for `cat tests/a.py`. */
function isTest(call: Pick<SessionCall, "input">): boolean {
  const command = findMainCommand(findShellText(call.input) ?? "");
  if (command === null || inspectionPrograms.has(command.program)) return false;
  const [program = "", ...args] = command.text.split(" ");
  // The usual name of a target that runs the tests.
  if (targetRunners.has(command.program) && /^checks?$/.test(args[0] ?? "")) return true;
  return [program, ...args.slice(0, 2)].some((word) => word.split(/[\W_]+/).some((part) => test.test(part)));
}

const targetRunners: ReadonlySet<string> = new Set("make gmake just task".split(" "));

const test = /^(?:py|un|j|vi)?tests?$|^(?:jest|rspec|spec|specs|tox|nox|mocha|phpunit|ctest|unittest|junit)$/i;
const passed = /\b\d+ (?:tests? )?(?:passed|passing)\b|\ball tests pass/i;
const gone = /\b(?:does not exist|no such file|file not found|ENOENT)\b/i;
const usage =
  /\b(?:unknown|unrecogni[sz]ed|invalid|unexpected|illegal|no such|ambiguous|missing|bad|wrong) (?:\w+ )?(?:option|flag|argument|parameter|switch|(?:sub-?)?command|choice|usage)|^usage: |did you mean/im;
const unknownName =
  /\bnot found\b|\bno (?:such|rule|recipe|task|target|script)\b|\b(?:missing|unknown|undefined) \w+|\bnot (?:a|an|contain|have)\b|did you mean/i;

const state =
  /\b(?:connection|connect)\b.{0,60}\brefused\b|\bcannot connect\b|\bnot (?:logged|signed) in\b|\bunauthori[sz]ed\b|\bexpired\b|\bcredentials\b|\.lock\b|\block(?:ed)? (?:by|on)\b|\bdubious ownership\b/i;

/** Rather too often true than too rarely, because a reported failure must really be open. */
function servesPurpose(failed: CallPurpose, worked: CallPurpose): boolean {
  if (failed.tests && worked.tests) return true;
  if (failed.file !== null && worked.file !== null && isFileMeant(failed, failed.file, worked.file)) return true;
  return isOnSameTarget(failed, worked) || isAlike(failed, worked) || isRepairedBy(failed, worked);
}

/**
 * True if the state that the call failed on was repaired: by the command that the error names, by work on a path that it
 * names, or as another call of a program shows that was not connected before.
 */
function isRepairedBy(failed: CallPurpose, worked: CallPurpose): boolean {
  const { error } = failed;
  if (failed.program === null || worked.program === null || worked.head === null) return false;
  if (worked.head !== failed.head && worked.head.includes(" ") && ` ${error}`.search(asWords(worked.head)) !== -1)
    return true;
  if (failed.disconnected && failed.program === worked.program && failed.program !== "git") return true;
  return (
    (removers.has(worked.program) || !inspectionPrograms.has(worked.program)) &&
    worked.targets.some((target) => target.length > 4 && target.includes("/") && error.includes(target))
  );
}

/** The words as a whole: quoted, or behind a blank. */
function asWords(head: string): RegExp {
  return new RegExp(`[\\s"'\`‘“]${head.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\\w-])`);
}

/**
 * True if another program did something with all that the failed call was about: `lualatex book.tex` for `pdflatex
 * book.tex`, `rm -rf build` for `rmdir build`. Programs that only look at it do not count.
 */
function isOnSameTarget(failed: CallPurpose, worked: CallPurpose): boolean {
  if (failed.program === null || worked.program === null || failed.targets.length === 0) return false;
  const isWork = removers.has(worked.program)
    ? removers.has(failed.program)
    : !inspectionPrograms.has(worked.program) && !inspectionPrograms.has(failed.program);
  const bare = (path: string) => path.replace(/^\.\//, "").replace(/\/+$/, "");
  const others = worked.targets.map(bare);
  return isWork && failed.targets.every((target) => others.includes(bare(target)));
}

const removers: ReadonlySet<string> = new Set("rm rmdir unlink trash shred".split(" "));

/**
 * True for the same file name in any folder, or, if the file was missing, for a similar path: `routes.ts` for
 * `routes.js`.
 */
function isFileMeant({ missing }: CallPurpose, file: string, other: string): boolean {
  if (lastPathName(file) === lastPathName(other)) return true;
  return missing && rankPaths(splitPath(file), [{ names: splitPath(other), isFolder: false, uses: 0 }]).length > 0;
}

/**
 * True if a different command that worked probably did what the failed one was for: `npm run tests` and
 * `npm run test:unit`, `rtk bun` and `bun run test`, `bundle app --minify` and `bundle --compress`.
 */
function isAlike(failed: CallPurpose, worked: CallPurpose): boolean {
  const [program, ...rest] = failed.words;
  const [other, ...others] = worked.words;
  if (program === undefined || other === undefined) return false;
  const isSlip = (a: string, b: string) => failed.misnamed && isMisspelling(a, b);
  if (program !== other) return rest[0] === other || isSlip(program, other);
  if (rest.length === 0 || others.length === 0) return true;
  return (
    (failed.misused && !displayNames.has(others[0] ?? "")) ||
    rest.some((word) => others.some((one) => isLike(word, one) || isSlip(word, one)))
  );
}

/** Subcommands that only show something. */
const displayNames: ReadonlySet<string> = new Set(
  "help version status list ls show info log diff get describe".split(" "),
);

/** `tests` and `test`; not `a` and `apply`. */
function isLike(a: string, b: string): boolean {
  return a === b || (Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a)));
}

function wordsOf(call: Pick<SessionCall, "tool" | "head">): readonly string[] {
  if (call.tool === null || !isShellTool(call.tool) || call.head === null) return [];
  return normalisePurpose(call.head)
    .split(/[\s:._/-]+/)
    .filter(Boolean);
}

function namedFileOf(call: Pick<SessionCall, "tool" | "input">): string | null {
  return call.tool === null || isShellTool(call.tool) ? null : findNamedFile(call.input);
}

/** True for a command or tool of oldhand itself, however it is started. */
function isOwnCall(call: Pick<SessionCall, "tool" | "input">): boolean {
  if (call.tool === null || !isShellTool(call.tool)) return /(?:^|_)oldhand_/.test(call.tool ?? "");
  const words = findMainCommand(findShellText(call.input) ?? "")?.text.split(" ") ?? [];
  return words.slice(0, 3).some((word) => /(?:^|[\\/])oldhand(?:\.(?:m?[jt]s|cmd|exe))?$/.test(word));
}

/** Equal for the same call, whatever else the host wrote into it. */
function makeCallKey(call: Pick<SessionCall, "tool" | "input">): string {
  const shell = call.tool !== null && isShellTool(call.tool) ? findShellText(call.input) : null;
  return JSON.stringify([call.tool, shell ?? call.input]);
}
