import { formatActor } from "../../domain/actor.ts";
import { STOPPED_EXIT_CODE } from "../../lib/exit-code.ts";
import { invokeChecked, invokeStreamChecked } from "../../invoke.ts";
import { OldhandError } from "../../lib/errors.ts";
import { type MindOptions, openConfig, openContext, type OpenMind } from "../../mind.ts";
import { type CheckedInput, type Operation, requireOfAgent } from "../../operation.ts";
import { detectAgentShell, ownerOnlyError, seenFromShell } from "./parts/agent-shell.ts";
import { type Globals, parseFlags, surplusWordError, toGlobals } from "./parts/arguments.ts";
import type { CliCommand } from "./parts/command.ts";
import { formatCommandHelp } from "./parts/help.ts";
import { formatOperationHelp } from "./parts/operation-help.ts";
import { parseInput, spellInput } from "./parts/operation-input.ts";
import { newProgressLine } from "./parts/progress.ts";
import { settingsWarning } from "./parts/settings-warning.ts";
import { newStopSignal } from "./parts/stop-signal.ts";

export interface Streams {
  /** True if a person reads `out` while it is written. */
  readonly isTerminal?: boolean;
  out(text: string): void;
  err(text: string): void;
}

export async function runHandwritten(command: CliCommand, words: readonly string[], streams: Streams): Promise<number> {
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
    throw ownerOnlyError(agent, [command.name, ...words], command.forAgents);
  if (!SILENT.has(command.name)) streams.err(settingsWarning(globals.home));
  return command.run(positionals, values, globals);
}

/** A host would take a hook's output as an error; `doctor` reports all problems itself; a shell reads `completion`. */
const SILENT: ReadonlySet<string> = new Set(["hook", "doctor", "completion"]);

export async function runTypedOperation(
  operation: Operation,
  words: readonly string[],
  streams: Streams,
): Promise<number> {
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
  const opened = await openOrAnswer(operation, { ...options, signal });
  if ("answer" in opened) return opened.answer;
  const { mind } = opened;
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

/** Some operations have an answer without the store: what is kept on this machine. */
async function openOrAnswer(
  { withoutStore }: Operation,
  options: MindOptions,
): Promise<{ readonly mind: OpenMind } | { readonly answer: unknown }> {
  try {
    return { mind: await openContext(options) };
  } catch (error) {
    if (withoutStore === null || !(error instanceof OldhandError) || error.code !== "store-unreachable") throw error;
    return { answer: await withoutStore(openConfig(options), error) };
  }
}
