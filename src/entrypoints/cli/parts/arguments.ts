import { parseArgs, type ParseArgsConfig } from "node:util";
import { OldhandError, errorMessage } from "../../../lib/errors.ts";
import { findNearestName } from "../../../lib/nearest.ts";

/** The flags that every command takes. */
export interface Globals {
  readonly json: boolean;
  readonly help: boolean;
  readonly home: string | undefined;
  readonly now: string | undefined;
  /** Set by a host's command that the owner typed: the command then runs as the owner, even in an agent's shell. */
  readonly forOwner: boolean;
}

export interface FlagInfo {
  readonly name: string;
  readonly flag: string;
  readonly type: "boolean" | "string";
  readonly many: boolean;
  readonly summary: string;
  readonly values: readonly string[];
  readonly fallback: string | null;
  readonly required: boolean;
  /** A switch that is not off by default, so that `--no-NAME` means something. */
  readonly canBeOff: boolean;
}

export const globalFlags: readonly FlagInfo[] = [
  newFlagInfo("json", "boolean", "print one JSON document to stdout"),
  newFlagInfo("help", "boolean", "print this help"),
  newFlagInfo("home", "string", "the mind's folder (OLDHAND_HOME; default ~/.oldhand)"),
  newFlagInfo("now", "string", "TIME, such as 2026-01-31T12:00:00Z: use it as the current one, for replays"),
];

/** For commands that hosts run; not shown in help. */
export const FOR_OWNER_NAME = "for-owner";
const acceptedFlags: readonly FlagInfo[] = [...globalFlags, newFlagInfo(FOR_OWNER_NAME, "boolean", "")];

/** Parses these flags and the global ones. */
export function parseFlags(
  words: readonly string[],
  flags: readonly FlagInfo[],
  help: string,
): { values: Record<string, unknown>; positionals: string[] } {
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  const folder = folderFlag(flags);
  for (const flag of [...acceptedFlags, ...flags, ...(folder === null ? [] : [folder.other])])
    options[flag.flag] = { type: flag.type, multiple: flag.many, ...(flag.flag === "help" ? { short: "h" } : {}) };
  try {
    const isSwitch = (name: string) => options[name]?.type === "boolean";
    const switches = readSwitches(words, isSwitch, help);
    const args = switches.words.map(hideNegative);
    const parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
    const given = Object.entries(parsed.values).map(([name, one]) => [name, showNegative(one)] as const);
    const values = Object.fromEntries([...given, ...switches.off.map((name) => [name, false] as const)]);
    const positionals = parsed.positionals.map((word) => showNegative(word) as string);
    return { values: folder === null ? values : oneFolder(values, folder, help), positionals };
  } catch (cause) {
    if (cause instanceof OldhandError) throw cause;
    const message = errorMessage(cause)
      .replace(/\. To specify.*$/s, "")
      .replace(/^./, (letter) => letter.toLowerCase());
    const unknown = /^unknown option '--(.+?)'/.exec(message)?.[1];
    const meant =
      unknown === undefined
        ? null
        : findNearestName(
            unknown,
            Object.keys(options).filter((name) => name !== FOR_OWNER_NAME),
          );
    throw new OldhandError("usage", message, {
      hint: meant === null ? help : `did you mean --${meant}? ${help}`,
      cause,
    });
  }
}

/**
 * A switch can also be given as `--cache=false`, `--cache false` or `--no-cache`. Returns the words that are left for `parseArgs`,
 * and the switches that are off. The last one counts if a switch is given twice.
 */
function readSwitches(
  words: readonly string[],
  isSwitch: (name: string) => boolean,
  help: string,
): { readonly words: readonly string[]; readonly off: readonly string[] } {
  const states = new Map<string, boolean>();
  const left: string[] = [];
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  for (let at = 0; at < end; at++) {
    const word = words[at] ?? "";
    const [, typed = "", , given] = /^--([^=]+)(=(.*))?$/s.exec(word) ?? [];
    const isNegated = !isSwitch(typed) && typed.startsWith("no-");
    const name = isNegated ? typed.slice("no-".length) : typed;
    if (!isSwitch(name)) {
      left.push(word);
      continue;
    }
    const next = at + 1 < end ? words[at + 1] : undefined;
    const follows = given === undefined && (next === "true" || next === "false");
    const value = given ?? (follows ? next : "true");
    if (follows) at++;
    if (value !== "true" && value !== "false")
      throw new OldhandError("usage", `--${typed} is true or false, not "${value}"`, { hint: help });
    states.set(name, (value === "true") !== isNegated);
  }
  const named = (state: boolean) => [...states].filter(([, one]) => one === state).map(([name]) => name);
  return { words: [...named(true).map((name) => `--${name}`), ...left, ...words.slice(end)], off: named(false) };
}

/** `parseArgs` takes a negative number for a flag. */
function hideNegative(word: string): string {
  return /^-\d/.test(word) ? `${HIDDEN}${word}` : word;
}

function showNegative(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(showNegative);
  return typeof value === "string" && value.startsWith(HIDDEN) ? value.slice(HIDDEN.length) : value;
}

const HIDDEN = "\u0000";

/** Some commands call their folder `--workspace`, others `--cwd`. Both names work for both. */
const folderNames = ["workspace", "cwd"] as const;

interface FolderFlag {
  readonly name: string;
  readonly other: FlagInfo;
}

function folderFlag(flags: readonly FlagInfo[]): FolderFlag | null {
  const [own, ...more] = flags.filter(({ flag }) => folderNames.some((name) => name === flag));
  const other = folderNames.find((name) => name !== own?.flag);
  if (own === undefined || more.length > 0 || other === undefined) return null;
  return { name: own.flag, other: { ...own, name: other, flag: other } };
}

function oneFolder(
  values: Readonly<Record<string, unknown>>,
  { name, other }: FolderFlag,
  help: string,
): Record<string, unknown> {
  const { [other.flag]: given, ...rest } = values;
  if (given === undefined) return rest;
  if (rest[name] !== undefined)
    throw new OldhandError("usage", "--cwd and --workspace are the same; give one of them", { hint: help });
  return { ...rest, [name]: given };
}

export function toGlobals(values: Readonly<Record<string, unknown>>): Globals {
  return {
    json: values["json"] === true,
    help: values["help"] === true,
    home: values["home"] as string | undefined,
    now: values["now"] as string | undefined,
    forOwner: values[FOR_OWNER_NAME] === true,
  };
}

/** For a word without a place. If the command takes words, the hint says to quote a text of several words. */
export function surplusWordError(word: string, command: string, takesWords: boolean): OldhandError {
  const advice = takesWords ? "; quote a text of several words" : "";
  return new OldhandError("usage", `unexpected argument "${word}"${advice}`, { hint: `oldhand ${command} --help` });
}

export function newFlagInfo(name: string, type: FlagInfo["type"], summary: string): FlagInfo {
  return { name, flag: name, type, many: false, summary, values: [], fallback: null, required: false, canBeOff: false };
}
