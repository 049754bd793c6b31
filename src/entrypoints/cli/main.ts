import { actorText } from "../../domain/actor.ts";
import { OldhandError, STOPPED, exitCodeOf, messageOf } from "../../lib/errors.ts";
import { invokeChecked, streamChecked } from "../../invoke.ts";
import { openConfig, openContext } from "../../mind.ts";
import { type CheckedInput, type Operation, requireOfAgent } from "../../operation.ts";
import { operations } from "../../operations.ts";
import { FOR_OWNER, globalFlags, type Globals, globalsFrom, parse, readInput, spelling, surplus } from "./arguments.ts";
import { agentInShell, ownersAlone, seenFromShell } from "./agent-shell.ts";
import { aliases, expanded } from "./aliases.ts";
import type { Command } from "./command.ts";
import { commands } from "./commands.ts";
import { groupHelp, helpOf, helpOfCommand, overview } from "./help.ts";
import { newProgress } from "./progress.ts";
import { settingsWarning } from "./settings-warning.ts";
import { stopSignal } from "./stop-signal.ts";
import { unknownCommand } from "./unknown-command.ts";
import { version } from "../../version.ts";

export interface Streams {
  out(text: string): void;
  err(text: string): void;
}

const terminal: Streams = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

/** The exit code of one command line: 0 done, 1 negative answer, 2 the operator's mistake, 70 a bug, 130 stopped. */
export async function cli(words: readonly string[], streams: Streams = terminal): Promise<number> {
  try {
    return await dispatch(words, streams);
  } catch (error) {
    complain(error, words.includes("--json"), streams);
    return exitCodeOf(error);
  }
}

async function dispatch(typed: readonly string[], streams: Streams): Promise<number> {
  const words = expanded(commandFirst(typed), allNames());
  const [first] = words;
  if (first === undefined && process.stdin.isTTY && process.stdout.isTTY) return dispatch(["start", "--ask"], streams);
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    streams.out(`${helpFor(first === "help" ? words.slice(1) : [])}\n`);
    return 0;
  }
  if (first === "version") {
    streams.out(`${version}\n`);
    return 0;
  }
  const command = commands.find((one) => one.name === first);
  if (command) return runCommand(command, words.slice(1), streams);
  const found = findOperation(words);
  if (!found) throw unknownCommand(words, [...allNames(), ...Object.keys(aliases)]);
  // Of a group the members are asked for, not what its bare name does.
  const group = found.operation.name === first || found.rest.length < words.length - 1 ? null : first;
  if (group !== null && asksHelp(found.rest)) {
    streams.out(`${helpFor([group])}\n`);
    return 0;
  }
  return runOperation(found.operation, found.rest, streams);
}

/** `help`, `help rules`, `help rules show`. */
function helpFor(words: readonly string[]): string {
  const named = expanded(parse(words, [], "oldhand help").positionals, allNames()).filter(
    (one) => !one.startsWith("--"),
  );
  const [first] = named;
  if (first === undefined) return overview(operations, commands);
  const command = commands.find((one) => one.name === first);
  if (command) return helpOfCommand(command);
  const operation = operations.find((one) => one.name === named.join(" ") && one.surfaces.includes("cli"));
  const help = operation ? helpOf(operation) : named.length === 1 ? groupHelp(first, operations) : null;
  if (help === null) throw unknownCommand(named, allNames());
  return help;
}

function asksHelp(words: readonly string[]): boolean {
  return words.includes("--help") || words.includes("-h");
}

function allNames(): readonly string[] {
  const typed = operations.filter((one) => one.surfaces.includes("cli")).map((one) => one.name);
  return [...commands.map((one) => one.name), ...typed, "help", "version"];
}

/** `--home DIR status` is `status --home DIR`. */
function commandFirst(typed: readonly string[]): readonly string[] {
  let at = 0;
  for (; typed[at]?.startsWith("--"); at++) {
    if (typed[at] === `--${FOR_OWNER}`) continue;
    const flag = globalFlags.find((one) => typed[at] === `--${one.flag}` || typed[at]?.startsWith(`--${one.flag}=`));
    if (!flag || flag.flag === "help") break;
    if (flag.type === "string" && typed[at] === `--${flag.flag}`) at++;
  }
  return [...typed.slice(at), ...typed.slice(0, at)];
}

async function runCommand(command: Command, words: readonly string[], streams: Streams): Promise<number> {
  const { values, positionals } = parse(words, command.flags, `oldhand ${command.name} --help`);
  const globals = globalsFrom(values);
  if (globals.help) {
    streams.out(`${helpOfCommand(command)}\n`);
    return 0;
  }
  const extra = positionals[command.words];
  if (extra !== undefined) throw surplus(extra, command.name, command.words > 0);
  const agent = agentInShell(globals);
  if (agent !== null && command.isOwnersAlone?.(globals, values) === true)
    throw ownersAlone(agent, [command.name, ...words]);
  if (!SILENT.has(command.name)) streams.err(settingsWarning(globals.home));
  return command.run(positionals, values, globals);
}

/** A host would take a hook's word for a fault; `doctor` tells all of it; `completion` is read by a shell. */
const SILENT: ReadonlySet<string> = new Set(["hook", "doctor", "completion"]);

async function runOperation(operation: Operation, words: readonly string[], streams: Streams): Promise<number> {
  const { globals, input } = readInput(operation, words);
  if (input === null) {
    streams.out(`${helpOf(operation)}\n`);
    return 0;
  }
  const agent = agentInShell(globals);
  if (agent !== null && operation.isOwnersAlone(input))
    throw ownersAlone(agent, [...operation.name.split(" "), ...words]);
  if (agent !== null)
    requireOfAgent(agent, operation, input, {
      spell: (name) => spelling(operation, name),
      hint: `oldhand ${operation.name} --help`,
    });
  if (operation.needs !== "config") streams.err(settingsWarning(globals.home));
  const signal = stopSignal();
  const output = await outputOf(operation, input, { globals, streams, signal });
  // One that changes settings may have mended them.
  if (operation.needs === "config") streams.err(settingsWarning(globals.home, "config"));
  if (output === null) return 0;
  const documents = operation.lines(output) ?? [output];
  if (globals.json) for (const one of documents) streams.out(`${JSON.stringify(one)}\n`);
  else streams.out(`${operation.render(output, input)}\n`);
  // What ended early by itself says how far it came.
  if (signal.aborted) return STOPPED;
  return operation.isNegative(output) ? 1 : 0;
}

/** Null where the answer came in pieces, and those are printed already. */
async function outputOf(
  operation: Operation,
  input: CheckedInput,
  { globals, streams, signal }: { readonly globals: Globals; readonly streams: Streams; readonly signal: AbortSignal },
): Promise<unknown> {
  const agent = agentInShell(globals);
  const options = { home: globals.home, now: globals.now, actor: agent === null ? undefined : actorText(agent) };
  if (operation.needs === "config") return invokeChecked(openConfig(options), operation, input);
  const mind = await openContext({ ...options, signal });
  const progress = newProgress();
  let output: unknown = null;
  try {
    for await (const event of streamChecked(await seenFromShell(mind, globals), operation, input)) {
      if (event.kind === "progress") progress.tell(event);
      else if (event.kind === "result") output = event.result;
      else streams.out(`${globals.json ? JSON.stringify(event.item) : operation.renderItem(event.item)}\n`);
    }
    return output;
  } finally {
    progress.end();
    await mind.close();
  }
}

/** The longest name that the words begin with; a bare noun lists or shows: `rules` is `rules list`. */
export function findOperation(
  words: readonly string[],
): { readonly operation: Operation; readonly rest: readonly string[] } | null {
  const named = (name: string) => operations.find((one) => one.name === name && one.surfaces.includes("cli"));
  const [first = "", second = ""] = words;
  const two = named(`${first} ${second}`);
  if (two) return { operation: two, rest: words.slice(2) };
  const isBare = second === "" || second.startsWith("-");
  const one = named(first) ?? (isBare ? (named(`${first} list`) ?? named(`${first} show`)) : undefined);
  return one ? { operation: one, rest: words.slice(1) } : null;
}

function complain(error: unknown, json: boolean, streams: Streams): void {
  if (error instanceof OldhandError) {
    if (json)
      streams.out(
        `${JSON.stringify({ error: { code: error.code, message: error.message, hint: error.hint ?? null } })}\n`,
      );
    streams.err(`oldhand: ${error.message} [${error.code}]\n${error.hint === undefined ? "" : `  ${error.hint}\n`}`);
    return;
  }
  streams.err(`oldhand: this is a bug: ${messageOf(error)}\n${error instanceof Error ? `${error.stack ?? ""}\n` : ""}`);
}
