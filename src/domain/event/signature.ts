import { hashText } from "../../lib/hash.ts";
import { parseCommands, findScriptCommand, isShellTool, pickMainCommand } from "../shell/command.ts";
import { findShellText } from "../shell/shell-text.ts";
import type { ShellCommand } from "../shell/command.ts";
import { cutAtBlank, maskErrorLine } from "./error-masks.ts";
import { unwrapHostText } from "./host-text.ts";
import { firstMessage, findCauseLine } from "./cause-line.ts";

/** A failure without paths, numbers and names. */
export interface Signature {
  /** Equal for the same kind of failure on any host, in any folder or run. */
  readonly key: string;
  /** For debugging: `git push: error: failed to push some refs to <str> (fetch first)`. People read `quoteFailure`. */
  readonly text: string;
}

export function signatureOf(tool: string, input: unknown, error: string): Signature {
  const { subject, message } = readMessage(tool, input, error);
  return signed(subject, maskErrorLine(message));
}

/** Who failed, and the line that names the cause. */
interface FailureMessage {
  readonly subject: string;
  readonly message: string;
}

export function readMessage(tool: string, input: unknown, error: string): FailureMessage {
  const { body } = unwrapHostText(error, null, true);
  if (!isShellTool(tool)) return { subject: tool, message: firstMessage(body) };
  const line = withoutShell(findCauseLine(body));
  const missing = missingProgram(line);
  if (missing !== null) return { subject: missing, message: "command not found" };
  const blamed = findBlamedCommand(parseCommands(findShellText(input) ?? ""), line);
  return { subject: subjectOf(blamed, line), message: withoutProgram(line, blamed) };
}

/** The cause line of an error with everything that varies replaced by `<path>`, `<n>`, `<str>` … */
export function normaliseError(text: string): string {
  let line = text;
  // A mask may uncover something maskable; a few rounds reach a stable form.
  for (let round = 0; round < 6; round++) {
    const next = maskErrorLine(withoutShell(findCauseLine(unwrapHostText(line, null, true).body)));
    if (next === line) break;
    line = next;
  }
  return line;
}

function signed(subject: string, message: string): Signature {
  const text = cutAtBlank(`${subject}: ${message || "no output"}`);
  // Some versions of a program quote a path and others do not, so all placeholders are equal.
  const identity = text.toLowerCase().replace(/<(?:path|str|url|n)>/g, "<>");
  return { key: hashText(identity).slice(0, 12), text };
}

/** Removes the shell's prefix: `bash: line 1: `, `zsh:1: `, `(eval):cd:1: `. */
function withoutShell(line: string): string {
  return line
    .replace(/^(?:\/\S*\/)?(?:ba|da|z|k)?sh: (?:-c: )?(?:line )?\d+: /, "")
    .replace(/^(?:\/\S*\/)?(?:ba|da|z|k)?sh: (?=\S+: (?:command )?not found$)/, "")
    .replace(
      /^(?:\(eval\)|zsh|(?:\/\S+\/)?\S+\.(?:ba|z)?sh):(?:([a-z]\w*):)?(?:(?: line )?\d+:)? ?/,
      (_all, name: string | undefined) => (name ? `${name}: ` : ""),
    )
    .trim();
}

function missingProgram(line: string): string | null {
  const match =
    /^(?:\S+ )?command not found: (\S+)$/.exec(line) ??
    /(?:^|\s)([^\s:]+): command not found$/.exec(line) ??
    /^([^\s:]+): not found$/.exec(line);
  const name = match?.[1];
  return name === undefined ? null : name.slice(name.lastIndexOf("/") + 1);
}

/**
 * `python3` and `python3.12` are one subject. A traceback without a Python command came from a script that was cut off.
 */
function subjectOf(blamed: ShellCommand | null, line: string): string {
  if (!blamed || shellSyntax.test(line)) return "shell";
  if (exception.test(line) && (blamed.program === "cat" || blamed.program === "echo")) return "python";
  const script = exception.test(line) ? null : findOwnScript(blamed, line);
  return (script ?? blamed.head.replace(/^python[\d.]+(?= |$)/, "python")).slice(0, 80);
}

/**
 * The script that an interpreter runs, unless the message is the interpreter's: `python3 tools/mix.py` fails like
 * `tools/mix.py`.
 */
function findOwnScript(blamed: ShellCommand, line: string): string | null {
  const script = findScriptCommand(blamed);
  return script === null || findSpeaker(line) === blamed.program ? null : script.head;
}

/** Messages of the shell before any command runs: the cause is the quoting, not the command. */
const shellSyntax =
  /^(?:syntax error near|unexpected EOF while|syntax error: unexpected end|parse error near|unmatched |no matches found: |bad substitution|\S+: event not found|\S+: ambiguous redirect)/;

const exception = /^(?:[A-Z]\w*(?:Error|Exception|NotReady|Configured|DoesNotExist)\b|Traceback )/;

/** Returns the command of a chain that the line names, else the main command. */
function findBlamedCommand(commands: readonly ShellCommand[], line: string): ShellCommand | null {
  const speaker = findSpeaker(line);
  const named = speaker === undefined ? undefined : commands.findLast((command) => command.program === speaker);
  if (named) return named;
  // Without output only the exit code is known, and it belongs to the last command.
  if (line === "") return commands.at(-1) ?? null;
  if (exception.test(line)) {
    const python = commands.findLast((command) => /^(?:python|pypy|pytest|sphinx-build)/.test(command.program));
    if (python) return python;
  }
  const main = pickMainCommand(commands);
  if (/^(?:fatal|error|remote|hint): /.test(line) && main?.program !== "git") {
    return commands.findLast((command) => command.program === "git") ?? main;
  }
  return main;
}

/** The program that printed the line: `mix.py` for `mix.py: error: …`. */
function findSpeaker(line: string): string | undefined {
  return /^(?:\S*\/)?([\w.+-]+)(?:\[\d+\])?: /.exec(line)?.[1];
}

function withoutProgram(line: string, blamed: ShellCommand | null): string {
  if (!blamed) return line;
  const speaker = /^(?:\S*\/)?([\w.+-]+)(?:\[\d+\])?: /.exec(line);
  const isOwn = speaker?.[1] === blamed.program || speaker?.[1] === findScriptCommand(blamed)?.program;
  return speaker !== null && isOwn ? line.slice(speaker[0].length) : line;
}
