import { parseCommands, headsBehindFlags, isShellTool, pickMainCommand, withScripts } from "./command.ts";
import { findShellText } from "./shell-text.ts";
import { parseNamedCommands, runsNamedCommands } from "./named-command.ts";
import { isEditTool, findWrittenText } from "../text/edit-text.ts";
import { trivialPrograms } from "./programs.ts";
import { traitsOfCommand, traitsOfInput } from "./traits.ts";
import { traitsOfEarlierSettings } from "./variables.ts";

/** A call as matchers see it before it runs: one step per command of a shell line, one step for any other call. */
export interface Step {
  readonly tool: string;
  readonly head: string | null;
  /** Other possible heads. Computed only if a matcher needs them. */
  otherHeads(): readonly string[];
  /** The whole command, with white space normalised. */
  readonly command: string | null;
  readonly traits: ReadonlySet<string>;
  /** True for the command that the line is about. */
  readonly main: boolean;
  /** The text that an edit writes into its file. Computed only if a matcher needs it. */
  written(): string | null;
  /** True if the line runs a command that a person named. */
  runs(named: string): boolean;
}

export interface StepCall {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string | null;
  readonly workspace: string | null;
}

/** Only this many commands of a line are inspected. */
const MOST_STEPS = 12;

export function parseSteps(call: StepCall): readonly Step[] {
  const shell = isShellTool(call.tool) ? findShellText(call.input) : null;
  if (shell === null)
    return [
      {
        tool: call.tool,
        head: null,
        otherHeads: none,
        command: null,
        traits: new Set(traitsOfInput(call)),
        main: true,
        written: () => (isEditTool(call.tool) ? findWrittenText(call.input) : null),
        runs: never,
      },
    ];
  const runsCache = new Map<string, boolean>();
  const runsNamed = (named: string) => {
    // Cached, because every step of the line asks the same.
    const runs = runsCache.get(named) ?? runsNamedCommands(parseNamedCommands(named), shell);
    runsCache.set(named, runs);
    return runs;
  };
  const commands = parseCommands(shell).slice(0, MOST_STEPS);
  const main = pickMainCommand(commands);
  const nontrivial = commands.filter((command) => command === main || !trivialPrograms.has(command.program));
  const steps = nontrivial.flatMap((line, at) =>
    withScripts([line]).map((command) => ({
      tool: "shell",
      head: command.head,
      otherHeads: () => headsBehindFlags(command),
      command: command.text,
      traits: new Set([
        ...traitsOfCommand(command, call),
        ...nontrivial.slice(0, at).map((one) => `after ${one.head}`),
        ...traitsOfEarlierSettings(commands.slice(0, commands.indexOf(line))),
      ]),
      main: command === main,
      written: nothing,
      runs: runsNamed,
    })),
  );
  return steps.length > 0 ? steps : [{ ...emptyLine, written: nothing, runs: runsNamed }];
}

const emptyLine = {
  tool: "shell",
  head: null,
  otherHeads: none,
  command: null,
  traits: new Set<string>(),
  main: true,
} as const;

function none(): readonly string[] {
  return [];
}

function never(): false {
  return false;
}

function nothing(): null {
  return null;
}

/** True if a matcher's tool covers this tool: the same name, or `edits` for any tool that changes files. */
export function matchesTool(meant: string, tool: string): boolean {
  return meant === tool || (meant === ANY_EDIT && isEditTool(tool));
}

export const ANY_EDIT = "edits";

/** Only the heads, by which calls are grouped; cheaper than `parseSteps`. */
export function listHeads(call: Pick<StepCall, "tool" | "input">): readonly (string | null)[] {
  const shell = isShellTool(call.tool) ? findShellText(call.input) : null;
  if (shell === null) return [null];
  const commands = parseCommands(shell).slice(0, MOST_STEPS);
  const main = pickMainCommand(commands);
  const heads = commands
    .filter((command) => command === main || !trivialPrograms.has(command.program))
    .flatMap((command) => withScripts([command]).map((one) => one.head));
  return heads.length > 0 ? [...new Set(heads)] : [null];
}

/** The key by which calls are grouped: a tool, or a shell command's head. */
export function makeCallGroup(tool: string, head: string | null): string {
  return isShellTool(tool) ? `shell ${head ?? ""}` : tool;
}
