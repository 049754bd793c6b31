import { OldhandError, errorMessage } from "../../lib/errors.ts";
import { exitCodeOf } from "../../lib/exit-code.ts";
import type { IndexedOperation, Operation } from "../../operation.ts";
import { operationIndex } from "../../operation-index.ts";
import { version } from "../../version.ts";
import { commandIndex } from "./command-index.ts";
import { aliases, expandAlias } from "./parts/aliases.ts";
import { FOR_OWNER_NAME, globalFlags, parseFlags } from "./parts/arguments.ts";
import { formatCommandHelp, formatGroupHelp, formatOverview } from "./parts/help.ts";
import { unknownCommandError } from "./parts/unknown-command.ts";
import type * as runner from "./run-command.ts";
import type { Streams } from "./run-command.ts";

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
  const words = expandAlias(moveCommandFirst(typed), listNames(), streams.isTerminal === true);
  const [first] = words;
  if (first === undefined && process.stdin.isTTY && process.stdout.isTTY) return dispatch(["start", "--ask"], streams);
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    streams.out(`${await findHelp(first === "help" ? words.slice(1) : [])}\n`);
    return 0;
  }
  if (first === "version") {
    streams.out(`${version}\n`);
    return 0;
  }
  const command = commandIndex.find((one) => one.name === first);
  if (command) return (await loadRunner()).runHandwritten(await command.load(), words.slice(1), streams);
  const found = findOperation(words);
  if (!found) throw unknownCommandError(words, [...listNames(), ...Object.keys(aliases)]);
  // `oldhand rules --help` lists the commands of the group, not the help of `rules list`.
  const group = found.operation.name === first || found.rest.length < words.length - 1 ? null : first;
  if (group !== null && wantsHelp(found.rest)) {
    streams.out(`${await findHelp([group])}\n`);
    return 0;
  }
  return (await loadRunner()).runTypedOperation(await loadOperation(found.operation), found.rest, streams);
}

/** Loaded on demand: help and a mistyped command need no schema and no mind. */
function loadRunner(): Promise<typeof runner> {
  return import("./run-command.ts");
}

/** `help`, `help rules`, `help rules show`. */
async function findHelp(words: readonly string[]): Promise<string> {
  const named = expandAlias(parseFlags(words, [], "oldhand help").positionals, listNames(), false).filter(
    (one) => !one.startsWith("--"),
  );
  const [first] = named;
  if (first === undefined) return formatOverview([...commandIndex, ...operationIndex]);
  const command = commandIndex.find((one) => one.name === first);
  if (command) return formatCommandHelp(await command.load());
  const operation = operationIndex.find((one) => one.name === named.join(" "));
  if (operation) {
    const { formatOperationHelp } = await import("./parts/operation-help.ts");
    return formatOperationHelp(await loadOperation(operation));
  }
  const help = named.length === 1 ? formatGroupHelp(first, operationIndex) : null;
  if (help === null) throw unknownCommandError(named, listNames());
  return help;
}

function wantsHelp(words: readonly string[]): boolean {
  return words.includes("--help") || words.includes("-h");
}

function listNames(): readonly string[] {
  return [...[...commandIndex, ...operationIndex].map((one) => one.name), "help", "version"];
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

/** The longest command name that the words begin with. A noun alone lists or shows: `rules` is `rules list`. */
function findOperation(
  words: readonly string[],
): { readonly operation: IndexedOperation; readonly rest: readonly string[] } | null {
  const named = (name: string) => operationIndex.find((one) => one.name === name);
  const [first = "", second = "", third = ""] = words;
  const three = named(`${first} ${second} ${third}`);
  if (three) return { operation: three, rest: words.slice(3) };
  const two = named(`${first} ${second}`);
  if (two) return { operation: two, rest: words.slice(2) };
  const isBare = second === "" || second.startsWith("-");
  const one = named(first) ?? (isBare ? (named(`${first} list`) ?? named(`${first} show`)) : undefined);
  return one ? { operation: one, rest: words.slice(1) } : null;
}

async function loadOperation({ name, load }: IndexedOperation): Promise<Operation> {
  const found = (await load()).find((one) => one.name === name && one.surfaces.includes("cli"));
  if (found === undefined) throw new Error(`the index is not that of the table: ${name}`);
  return found;
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
