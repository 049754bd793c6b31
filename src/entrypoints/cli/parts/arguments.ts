import { readFileSync } from "node:fs";
import { parseArgs, type ParseArgsConfig } from "node:util";
import { z } from "zod";
import { OldhandError, errorMessage } from "../../../lib/errors.ts";
import { readPlainFile } from "../../../lib/plain-file.ts";
import { findNearestName } from "../../../lib/nearest.ts";
import { checkInput, type CheckedInput, type Operation } from "../../../operation.ts";
import { findMeantWord } from "./meant-word.ts";

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
  newFlagInfo("now", "string", "use this as the current time, for replays"),
];

/** For commands that hosts run; not shown in help. */
export const FOR_OWNER_NAME = "for-owner";
const acceptedFlags: readonly FlagInfo[] = [...globalFlags, newFlagInfo(FOR_OWNER_NAME, "boolean", "")];

/** An operation's inputs as flags, from its schema. */
export function listFlags(operation: Operation): readonly FlagInfo[] {
  const schema = z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" }) as JsonSchema;
  const inputs = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    flag: toKebabCase(name),
    type: property.type === "boolean" ? "boolean" : "string",
    many: property.type === "array",
    summary: property.description ?? "",
    values: property.enum ?? property.items?.enum ?? [],
    fallback: formatDefault(property.default),
    required: (schema.required?.includes(name) ?? false) || operation.expects.includes(name),
    canBeOff: property.type === "boolean" && property.default !== false,
  })) satisfies readonly FlagInfo[];
  const { fromFile } = operation;
  if (fromFile === null) return inputs;
  const named = inputs.map((one) =>
    one.name === fromFile ? { ...one, summary: `${one.summary}; - reads it from stdin` } : one,
  );
  return [...named, newFlagInfo(fileFlagOf(fromFile), "string", `read the ${fromFile} from this file`)];
}

function fileFlagOf(name: string): string {
  return `${toKebabCase(name)}-file`;
}

/** Replaces the input by the content of a file, or of stdin if it is `-`. */
function readFromFile(fromFile: string, values: Readonly<Record<string, unknown>>, raw: Record<string, unknown>): void {
  const flag = fileFlagOf(fromFile);
  const path = values[flag];
  delete raw[flag];
  if (typeof path !== "string" && raw[fromFile] !== "-") return;
  if (typeof path === "string" && raw[fromFile] !== undefined)
    throw new OldhandError("usage", `give either ${fromFile.toUpperCase()} or --${flag}, not both`, {});
  raw[fromFile] = typeof path === "string" ? readTextFile(path) : readFileSync(process.stdin.fd, "utf8");
}

function readTextFile(path: string): string {
  const read = readPlainFile(path);
  if (read.kind === "missing") throw new OldhandError("input", `there is no file ${path}`);
  if (read.kind === "refused") throw new OldhandError("input", `${path} cannot be read: ${read.why}`);
  return read.text;
}

/** The default as shown in help. Null for a switch that is off and for an empty list, because these are obvious. */
function formatDefault(value: unknown): string | null {
  const isNothing = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return isNothing ? null : String(value);
}

interface JsonSchema {
  readonly properties?: Readonly<
    Record<
      string,
      {
        readonly type?: string;
        readonly description?: string;
        readonly enum?: readonly string[];
        readonly items?: { readonly enum?: readonly string[] };
        readonly default?: unknown;
      }
    >
  >;
  readonly required?: readonly string[];
}

/**
 * Splits the words into global flags and the operation's input, validated by its schema. The input is null if only
 * help is wanted.
 */
export function parseInput(
  operation: Operation,
  words: readonly string[],
): { readonly globals: Globals; readonly input: CheckedInput | null } {
  const flags = listFlags(operation);
  const asText = operation.freeText ? "if it is part of the text, quote the text or put -- before it; " : "";
  const { values, positionals } = parseFlags(words, flags, `${asText}oldhand ${operation.name} --help`);
  const globals = toGlobals(values);
  if (globals.help) return { globals, input: null };
  const raw: Record<string, unknown> = {};
  for (const flag of flags) if (values[flag.flag] !== undefined) raw[flag.name] = splitList(flag, values[flag.flag]);
  placePositionals(operation, flags, positionals, raw);
  if (operation.fromFile !== null) readFromFile(operation.fromFile, values, raw);
  const spell = (name: string) => spellInput(operation, name);
  const hint = `oldhand ${operation.name} --help`;
  return { globals, input: checkInput(operation, raw, { hint, spell, meant: findMeantWord }) };
}

/** As it is typed: `ID`, `--should-have`. */
export function spellInput(operation: Operation, name: string): string {
  return operation.positional.includes(name) ? name.toUpperCase() : `--${toKebabCase(name)}`;
}

/** Splits `--only a,b` into `--only a --only b`, for flags with fixed values. Free text may contain commas. */
function splitList(flag: FlagInfo, value: unknown): unknown {
  return flag.many && flag.values.length > 0 && Array.isArray(value)
    ? value.flatMap((one) => String(one).split(",").filter(Boolean))
    : value;
}

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

function placePositionals(
  operation: Operation,
  flags: readonly FlagInfo[],
  words: readonly string[],
  raw: Record<string, unknown>,
): void {
  const names = operation.positional;
  const last = names.length - 1;
  const given = operation.freeText && words.length > names.length ? joinFrom(words, last) : words;
  given.forEach((word, index) => {
    const name = names[Math.min(index, last)];
    const flag = flags.find((one) => one.name === name);
    if (name === undefined || (index > last && !flag?.many))
      throw surplusWordError(word, operation.name, names.length > 0);
    if (flag?.many) raw[name] = [...((raw[name] as string[] | undefined) ?? []), word];
    else raw[name] = word;
  });
}

/** Joins the words from `at` on into one text. */
function joinFrom(words: readonly string[], at: number): readonly string[] {
  return [...words.slice(0, at), words.slice(at).join(" ")];
}

/** For a word without a place. If the command takes words, the hint says to quote a text of several words. */
export function surplusWordError(word: string, command: string, takesWords: boolean): OldhandError {
  const advice = takesWords ? "; quote a text of several words" : "";
  return new OldhandError("usage", `unexpected argument "${word}"${advice}`, { hint: `oldhand ${command} --help` });
}

function newFlagInfo(name: string, type: FlagInfo["type"], summary: string): FlagInfo {
  return { name, flag: name, type, many: false, summary, values: [], fallback: null, required: false, canBeOff: false };
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
