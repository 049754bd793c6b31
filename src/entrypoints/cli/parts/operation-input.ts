import { readFileSync } from "node:fs";
import { z } from "zod";
import { OldhandError } from "../../../lib/errors.ts";
import { readPlainFile } from "../../../lib/plain-file.ts";
import { checkInput, type CheckedInput, type Operation } from "../../../operation.ts";
import { type FlagInfo, type Globals, newFlagInfo, parseFlags, surplusWordError, toGlobals } from "./arguments.ts";
import { findMeantWord } from "./meant-word.ts";

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

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
