import { type LocatedCall, findCommandFolder, findCallNeeds } from "../../domain/fact/call-needs.ts";
import { resolveShellWord } from "../../domain/fact/resolve-path.ts";
import { type ShellCommand, parseCommands, isShellTool } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { lastPathName } from "../../domain/text/path-names.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import type { Db } from "../../store/engine/db.ts";
import { listSessionCallsNaming } from "../../store/events/paths-used.ts";

/** True if a call of the session that worked read, edited or wrote this file. Naming or listing it is not enough. */
export async function hasUsedFile(
  db: Db,
  at: { readonly workspace: string; readonly host: string; readonly session: string },
  path: string,
): Promise<boolean> {
  const calls = await listSessionCallsNaming(db, at, lastPathName(path));
  return calls.some((call) =>
    listUsedFiles({ ...call, cwd: call.cwd ?? at.workspace }).some(
      (file) => relativePathWithin(at.workspace, file) === path,
    ),
  );
}

function listUsedFiles(call: LocatedCall): readonly string[] {
  const shell = isShellTool(call.tool) ? findShellText(call.input) : null;
  if (shell !== null) return listReadFiles(shell, call.cwd);
  const { needs, makes } = findCallNeeds(call);
  return [...needs.filter((need) => need.is === "file" && need.surely), ...makes].map((need) => need.subject);
}

function listReadFiles(shell: string, base: string | null): readonly string[] {
  const commands = parseCommands(shell);
  return commands.flatMap((command, at) => {
    // With `||`, it is unknown which of the two commands worked.
    if (command.operator === "||" || commands[at - 1]?.operator === "||") return [];
    const folder = findCommandFolder(command, base);
    return listShownFiles(command).flatMap((word) => resolveShellWord(word, folder) ?? []);
  });
}

/** The file arguments of a program that prints files. */
function listShownFiles({ program, args, words }: ShellCommand): readonly string[] {
  if (filePrinters.has(program)) return args;
  if (program !== "sed") return [];
  // The first argument of `sed` is the script, unless a flag gives it.
  return words.some((word) => /^-\w*[ef]|^--(?:expression|file)\b/.test(word)) ? args : args.slice(1);
}

const filePrinters: ReadonlySet<string> = new Set("cat head tail less more nl tac bat batcat".split(" "));
