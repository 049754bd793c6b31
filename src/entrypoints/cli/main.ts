import { formatActor } from "../../domain/actor.ts";
import { OldhandError, errorMessage } from "../../lib/errors.ts";
import { STOPPED_EXIT_CODE, exitCodeOf } from "../../lib/exit-code.ts";
import { invokeChecked, invokeStreamChecked } from "../../invoke.ts";
import { openConfig, openContext } from "../../mind.ts";
import { type CheckedInput, type Operation, requireOfAgent } from "../../operation.ts";
import { operations } from "../../operations.ts";
import {
  FOR_OWNER_NAME,
  globalFlags,
  type Globals,
  toGlobals,
  parseFlags,
  parseInput,
  spellInput,
  surplusWordError,
} from "./parts/arguments.ts";
import { detectAgentShell, ownerOnlyError, seenFromShell } from "./parts/agent-shell.ts";
import { aliases, expandAlias } from "./parts/aliases.ts";
import type { CliCommand } from "./parts/command.ts";
import { commands } from "./commands.ts";
import { formatGroupHelp, formatOperationHelp, formatCommandHelp, formatOverview } from "./parts/help.ts";
import { newProgressLine } from "./parts/progress.ts";
import { settingsWarning } from "./parts/settings-warning.ts";
import { newStopSignal } from "./parts/stop-signal.ts";
import { unknownCommandError } from "./parts/unknown-command.ts";
import { version } from "../../version.ts";

export interface Streams {
  /** True if a person reads `out` while it is written. */
  readonly isTerminal?: boolean;
  out(text: string): void;
  err(text: string): void;
}

const terminal: Streams = {
  isTerminal: process.stdout.isTTY,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

/** Returns the exit code: 0 done, 1 negative result, 2 the operator's mistake, 70 a bug, 130 stopped. */
export async function runCli(words: readonly string[], streams: Streams = terminal): Promise<number> {
  try {
    return await dispatch(words, streams);
  } catch (error) {
    printError(error, words.includes("--json"), streams);
    return exitCodeOf(error);
  }
}

async function dispatch(typed: readonly string[], streams: Streams): Promise<number> {
  const words = expandAlias(moveCommandFirst(typed), listNames());
  const [first] = words;
  if (first === undefined && process.stdin.isTTY && process.stdout.isTTY) return dispatch(["start", "--ask"], streams);
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    streams.out(`${findHelp(first === "help" ? words.slice(1) : [])}\n`);
    return 0;
  }
  if (first === "version") {
    streams.out(`${version}\n`);
    return 0;
  }
  const command = commands.find((one) => one.name === first);
  if (command) return runCommand(command, words.slice(1), streams);
  const found = findOperation(words);
  if (!found) throw unknownCommandError(words, [...listNames(), ...Object.keys(aliases)]);
  // `oldhand rules --help` lists the commands of the group, not the help of `rules list`.
  const group = found.operation.name === first || found.rest.length < words.length - 1 ? null : first;
  if (group !== null && wantsHelp(found.rest)) {
    streams.out(`${findHelp([group])}\n`);
    return 0;
  }
  return runOperation(found.operation, found.rest, streams);
}

/** `help`, `help rules`, `help rules show`. */
function findHelp(words: readonly string[]): string {
  const named = expandAlias(parseFlags(words, [], "oldhand help").positionals, listNames()).filter(
    (one) => !one.startsWith("--"),
  );
  const [first] = named;
  if (first === undefined) return formatOverview(operations, commands);
  const command = commands.find((one) => one.name === first);
  if (command) return formatCommandHelp(command);
  const operation = operations.find((one) => one.name === named.join(" ") && one.surfaces.includes("cli"));
  const help = operation
    ? formatOperationHelp(operation)
    : named.length === 1
      ? formatGroupHelp(first, operations)
      : null;
  if (help === null) throw unknownCommandError(named, listNames());
  return help;
}

function wantsHelp(words: readonly string[]): boolean {
  return words.includes("--help") || words.includes("-h");
}

function listNames(): readonly string[] {
  const typed = operations.filter((one) => one.surfaces.includes("cli")).map((one) => one.name);
  return [...commands.map((one) => one.name), ...typed, "help", "version"];
}

/** `--home DIR status` is `status --home DIR`. */
function moveCommandFirst(typed: readonly string[]): readonly string[] {
  let at = 0;
  for (; typed[at]?.startsWith("--"); at++) {
    if (typed[at] === `--${FOR_OWNER_NAME}`) continue;
    const flag = globalFlags.find((one) => typed[at] === `--${one.flag}` || typed[at]?.startsWith(`--${one.flag}=`));
    if (!flag || flag.flag === "help") break;
    if (flag.type === "string" && typed[at] === `--${flag.flag}`) at++;
  }
  return [...typed.slice(at), ...typed.slice(0, at)];
}

async function runCommand(command: CliCommand, words: readonly string[], streams: Streams): Promise<number> {
  const { values, positionals } = parseFlags(words, command.flags, `oldhand ${command.name} --help`);
  const globals = toGlobals(values);
  if (globals.help) {
    streams.out(`${formatCommandHelp(command)}\n`);
    return 0;
  }
  const extra = positionals[command.words];
  if (extra !== undefined) throw surplusWordError(extra, command.name, command.words > 0);
  const agent = detectAgentShell(globals);
  if (agent !== null && command.isOwnerOnly?.(globals, values) === true)
    throw ownerOnlyError(agent, [command.name, ...words]);
  if (!SILENT.has(command.name)) streams.err(settingsWarning(globals.home));
  return command.run(positionals, values, globals);
}

/** A host would take a hook's output as an error; `doctor` reports all problems itself; a shell reads `completion`. */
const SILENT: ReadonlySet<string> = new Set(["hook", "doctor", "completion"]);

async function runOperation(operation: Operation, words: readonly string[], streams: Streams): Promise<number> {
  const { globals, input } = parseInput(operation, words);
  if (input === null) {
    streams.out(`${formatOperationHelp(operation)}\n`);
    return 0;
  }
  const agent = detectAgentShell(globals);
  if (agent !== null && operation.isOwnerOnly(input))
    throw ownerOnlyError(agent, [...operation.name.split(" "), ...words]);
  if (agent !== null)
    requireOfAgent(agent, operation, input, {
      spell: (name) => spellInput(operation, name),
      hint: `oldhand ${operation.name} --help`,
    });
  if (operation.needs !== "config") streams.err(settingsWarning(globals.home));
  const signal = newStopSignal();
  // Parts of a text are for a person who waits. Otherwise the whole text is printed at the end, and may start over until then.
  const showsText = operation.pieces === "text" && streams.isTerminal === true && !globals.json;
  const shown = operation.pieces === "text" && !showsText ? { ...operation, stream: null } : operation;
  const output = await runForOutput(shown, input, { globals, streams, signal });
  // An operation that changes settings may have corrected them.
  if (operation.needs === "config") streams.err(settingsWarning(globals.home, "config"));
  if (output === null) return 0;
  const documents = operation.lines(output) ?? [output];
  if (globals.json) for (const one of documents) streams.out(`${JSON.stringify(one)}\n`);
  else streams.out(`${showsText ? `\n${operation.renderEnd(output)}` : operation.render(output, input)}\n`);
  for (const note of operation.notes(output)) streams.err(`oldhand: ${note}\n`);
  // An operation that was stopped early still printed its partial result.
  if (signal.aborted) return STOPPED_EXIT_CODE;
  return operation.isNegative(output) ? 1 : 0;
}

/** Null if the result was streamed and is printed already. */
async function runForOutput(
  operation: Operation,
  input: CheckedInput,
  { globals, streams, signal }: { readonly globals: Globals; readonly streams: Streams; readonly signal: AbortSignal },
): Promise<unknown> {
  const agent = detectAgentShell(globals);
  const options = { home: globals.home, now: globals.now, actor: agent === null ? undefined : formatActor(agent) };
  if (operation.needs === "config") return invokeChecked(openConfig(options), operation, input);
  const mind = await openContext({ ...options, signal });
  const progress = newProgressLine();
  let output: unknown = null;
  let hasOpenLine = false;
  try {
    for await (const event of invokeStreamChecked(await seenFromShell(mind, globals), operation, input)) {
      if (event.kind === "progress") progress.show(event);
      else if (event.kind === "result") output = event.result;
      else {
        const isText = operation.pieces === "text";
        if (isText) progress.end();
        const text = globals.json ? JSON.stringify(event.item) : operation.renderItem(event.item);
        streams.out(isText ? text : `${text}\n`);
        hasOpenLine = isText && (text === "" ? hasOpenLine : !text.endsWith("\n"));
      }
    }
    return output;
  } finally {
    progress.end();
    if (hasOpenLine) streams.out("\n");
    await mind.close();
  }
}

/** The longest command name that the words begin with. A noun alone lists or shows: `rules` is `rules list`. */
export function findOperation(
  words: readonly string[],
): { readonly operation: Operation; readonly rest: readonly string[] } | null {
  const named = (name: string) => operations.find((one) => one.name === name && one.surfaces.includes("cli"));
  const [first = "", second = "", third = ""] = words;
  const three = named(`${first} ${second} ${third}`);
  if (three) return { operation: three, rest: words.slice(3) };
  const two = named(`${first} ${second}`);
  if (two) return { operation: two, rest: words.slice(2) };
  const isBare = second === "" || second.startsWith("-");
  const one = named(first) ?? (isBare ? (named(`${first} list`) ?? named(`${first} show`)) : undefined);
  return one ? { operation: one, rest: words.slice(1) } : null;
}

function printError(error: unknown, json: boolean, streams: Streams): void {
  if (error instanceof OldhandError) {
    if (json)
      streams.out(
        `${JSON.stringify({ error: { code: error.code, message: error.message, hint: error.hint ?? null } })}\n`,
      );
    streams.err(`oldhand: ${error.message} [${error.code}]\n${error.hint === undefined ? "" : `  ${error.hint}\n`}`);
    return;
  }
  streams.err(
    `oldhand: this is a bug: ${errorMessage(error)}\n${error instanceof Error ? `${error.stack ?? ""}\n` : ""}`,
  );
}
