import { parseCommands } from "../../shell/command.ts";
import { listAliases } from "../../shell/program-aliases.ts";
import { isOptionValue, type NamedCommand, parseNamedCommands } from "../../shell/named-command.ts";
import { parseSteps } from "../../shell/step.ts";
import { matchesSteps } from "./matcher.ts";
import type { Matcher } from "../rule.ts";

/** A command similar to the one that a rule names, and whether the rule matches it. */
export interface CommandExample {
  readonly command: string;
  readonly matches: boolean;
}

/** Examples of what a rule against a command matches and does not match, judged as a hook would. */
export function commandExamples(matcher: Matcher): readonly CommandExample[] {
  const named = matcher.runs ?? matcher.command;
  if (named === undefined) return [];
  return [...new Set(nearCommands(named.trim()))].map((command) => ({
    command,
    matches: matchesCommand(matcher, command),
  }));
}

export function matchesCommand(matcher: Matcher, command: string): boolean {
  const steps = parseSteps({ tool: "bash", input: { command }, cwd: null, workspace: null });
  return matchesSteps(matcher, steps, new Set());
}

function nearCommands(named: string): readonly string[] {
  const commands = parseNamedCommands(named);
  const [one] = commands;
  const around = [`sudo ${named}`, `cd x && ${named}`, ["bash", "-c", quoted(named)].join(" ")];
  if (one === undefined || commands.length > 1) return [named, ...around, `echo ${quoted(named)}`];
  const head = [one.program, ...one.subcommands];
  const values = one.args.filter((arg) => isOptionValue(arg, one.table));
  const args = one.args.filter((arg) => !values.includes(arg)).map(({ text }) => asTyped(text));
  const flags = writtenFlags(named, one);
  const other = flags.map((flag) => one.table.otherSpelling(flag) ?? flag);
  return [
    named,
    `${named} x`,
    ...(flags.length === 0 ? [] : [line(head, args, ["x"], flags), line(head, other, args)]),
    ...listInterpreterCalls(one.program, named),
    ...listOtherNames(one, named),
    ...listLongerTexts(named),
    ...around,
    ...flags.slice(0, 3).map((flag) =>
      line(
        head,
        flags.filter((each) => each !== flag),
        args,
      ),
    ),
    ...values.map(({ text, behind }) => line(head, [`${behind} x`, asTyped(text)], args)),
    ...flags.flatMap((flag) => longer(flag, one)).map((flag) => line(head, [flag], args)),
    ...(args.length > 0 ? [line(head, flags, args.slice(0, -1))] : []),
    ...(flags.length + args.length === 0 && head.length > 1 ? [line(head.slice(0, -1))] : []),
    `echo ${named}`,
  ];
}

/** The script with its interpreter, because owners ask most whether the rule matches that too. */
function listInterpreterCalls(program: string, named: string): readonly string[] {
  const interpreter = Object.entries(interpreters).find(([ending]) => program.endsWith(ending))?.[1];
  return interpreter === undefined ? [] : [`${interpreter} ${named}`];
}

/** The same call with the other names of its program. */
function listOtherNames({ program }: NamedCommand, named: string): readonly string[] {
  const [typed] = parseCommands(named);
  const own = typed?.words.slice(0, 3).join(" ") ?? "";
  const name = [program, ...listAliases(program)].find((one) => own === one || own.startsWith(`${one} `));
  if (name === undefined || !named.startsWith(name)) return [];
  return listAliases(name)
    .filter((one) => one !== own)
    .map((one) => one + named.slice(name.length));
}

/** A quoted text of several words goes on: `psql -c 'DROP TABLE x'`. */
function listLongerTexts(named: string): readonly string[] {
  const longer = named.replace(
    /(?<=\s|=)(["'])([^"']*\S\s+\S[^"']*)\1/,
    (_all, quote: string, text: string) => `${quote}${text} x${quote}`,
  );
  return longer === named ? [] : [longer];
}

function asTyped(text: string): string {
  return /\s/.test(text) ? quoted(text) : text;
}

const interpreters = { ".sh": "bash", ".py": "python3", ".js": "node", ".mjs": "node", ".rb": "ruby", ".pl": "perl" };

/** Its flags with their values, as one would type them. */
function writtenFlags(named: string, { flags, args, table }: NamedCommand): readonly string[] {
  const grouped = parseCommands(named)[0]?.words.find((word) => /^-[A-Za-z]{2,}$/.test(word)) !== undefined;
  return flags.map(({ name, written, value }) => {
    const own = args.find((arg) => arg.behind === name && isOptionValue(arg, table));
    if (own !== undefined) return `${written}=${asTyped(own.text)}`;
    if (value === null) return written;
    return written.startsWith("--") && !grouped && !table.takesValue(written)
      ? `${written}=${asTyped(value)}`
      : `${written} ${asTyped(value)}`;
  });
}

/** Flags whose names begin with this one's, such as `--force-with-lease`: easily confused with it. */
function longer(flag: string, { table }: NamedCommand): readonly string[] {
  const name = table.nameOf(flag);
  return name === null ? [] : table.longNames.filter((one) => one.startsWith(`${name}-`)).slice(0, 2);
}

function line(...parts: readonly (readonly string[])[]): string {
  return parts.flat().join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
