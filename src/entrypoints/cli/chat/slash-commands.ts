import { findNearestName } from "../../../lib/nearest.ts";

export interface SlashCommandInfo {
  readonly name: string;
  /** How its words are written in the help. */
  readonly words: string;
  readonly summary: string;
  /** It only shows something: the beginning of its name is enough to run it. */
  readonly isSafe?: boolean;
}

/** The commands of a chat, as the help lists them. */
export const slashCommands: readonly SlashCommandInfo[] = [
  { name: "steer", words: "TEXT", summary: "add something to the running turn, with its next model call" },
  { name: "drop", words: "[NUMBER]", summary: "remove the last message that waits, or this one" },
  { name: "undo", words: "", summary: "take back the last turn and its file changes" },
  { name: "compact", words: "", summary: "replace the older part of the session by a summary" },
  { name: "model", words: "[MODEL]", summary: "show or change the model: PROVIDER/MODEL, or auto" },
  { name: "mode", words: "[MODE]", summary: "show or change what needs your yes" },
  { name: "cost", words: "", summary: "calls, tokens, dollars and context of this session", isSafe: true },
  { name: "memory", words: "[TEXT]", summary: "list memories, or search them", isSafe: true },
  { name: "rules", words: "[ID]", summary: "list the rules, or show one", isSafe: true },
  { name: "sessions", words: "[TEXT]", summary: "list the latest sessions, or search all", isSafe: true },
  { name: "export", words: "[FILE]", summary: "write this session to a new file: .md, or .jsonl (every entry)" },
  { name: "help", words: "", summary: "list the commands and keys", isSafe: true },
  { name: "quit", words: "", summary: "leave; the session can be resumed" },
];

/** Null if the text is a message: it does not begin with a slash and a word. A path such as /etc/hosts is no command. */
export function parseSlashCommand(text: string): { readonly name: string; readonly rest: string } | null {
  const found = /^\/([a-z][a-z-]*)(?:\s+([\s\S]*))?$/i.exec(text.trim());
  if (found === null) return null;
  const [, name = "", rest = ""] = found;
  return { name: name.toLowerCase(), rest: rest.trim() };
}

/** The commands that were probably meant: those that begin so, a similar name, or what other agents call the same. */
export function findMeantCommands(typed: string): readonly string[] {
  const begun = listSlashNames().filter((name) => name.startsWith(typed));
  const meant = otherNames[typed] ?? findNearestName(typed, listSlashNames());
  return begun.length > 0 ? begun : meant === null ? [] : [meant];
}

const otherNames: Readonly<Record<string, string>> = {
  compress: "compact",
  usage: "cost",
  context: "cost",
  stats: "cost",
  memories: "memory",
  remember: "memory",
  models: "model",
  resume: "sessions",
  session: "sessions",
  history: "sessions",
  cancel: "drop",
  rewind: "undo",
  revert: "undo",
  save: "export",
  approvals: "mode",
  permissions: "mode",
  exit: "quit",
  leave: "quit",
  commands: "help",
};

function listSlashNames(): readonly string[] {
  return slashCommands.map(({ name }) => name);
}

export function formatSlashHelp(): string {
  const typed = slashCommands.map(({ name, words }) => `/${name}${words === "" ? "" : ` ${words}`}`);
  const width = Math.max(...typed.map((one) => one.length));
  const lines = slashCommands.map(({ summary }, at) => `${(typed[at] ?? "").padEnd(width)}  ${summary}`);
  return ["Commands", ...lines, "", "Keys", ...keyLines].join("\n");
}

const keyLines: readonly string[] = [
  "Enter                send; while a turn runs, the message waits for its end",
  "Shift+Enter, \\Enter  a new line",
  "Tab                  complete a command, a mode, a model or @FILE",
  "Up                   what you typed before, also in other sessions here",
  "Ctrl-O               show all lines of outputs and diffs, or hide the rest",
  "Ctrl-C               stop the turn and keep everything; twice: leave",
  "Ctrl-D               leave, if nothing is typed",
  "@FILE                in a message: add the file's text for the model",
];
