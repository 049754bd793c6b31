import { type CallOfFacts, folderOf, needsOf } from "../../domain/fact/needs.ts";
import { wordPlace } from "../../domain/fact/place.ts";
import { type Command, commandsOf, isShellTool } from "../../domain/shell/command.ts";
import { shellTextOf } from "../../domain/shell/shell-text.ts";
import { lastNameOf } from "../../domain/text/path-names.ts";
import { pathWithin } from "../../domain/workspace.ts";
import type { Db } from "../../store/engine/db.ts";
import { ownCallsNaming } from "../../store/paths-used.ts";

/** Whether a call of the session that worked read, edited or wrote this very file. To name or list it is not enough. */
export async function hasUsedFile(
  db: Db,
  at: { readonly workspace: string; readonly host: string; readonly session: string },
  path: string,
): Promise<boolean> {
  const calls = await ownCallsNaming(db, at, lastNameOf(path));
  return calls.some((call) =>
    filesUsed({ ...call, cwd: call.cwd ?? at.workspace }).some((file) => pathWithin(at.workspace, file) === path),
  );
}

function filesUsed(call: CallOfFacts): readonly string[] {
  const shell = isShellTool(call.tool) ? shellTextOf(call.input) : null;
  if (shell !== null) return filesRead(shell, call.cwd);
  const { needs, makes } = needsOf(call);
  return [...needs.filter((need) => need.is === "file" && need.surely), ...makes].map((need) => need.subject);
}

function filesRead(shell: string, base: string | null): readonly string[] {
  const commands = commandsOf(shell);
  return commands.flatMap((command, at) => {
    // Beside `||` nobody knows which of the two worked.
    if (command.operator === "||" || commands[at - 1]?.operator === "||") return [];
    const folder = folderOf(command, base);
    return shownBy(command).flatMap((word) => wordPlace(word, folder) ?? []);
  });
}

/** The arguments of a program that shows the files it is given. */
function shownBy({ program, args, words }: Command): readonly string[] {
  if (showsFiles.has(program)) return args;
  if (program !== "sed") return [];
  // Its first argument is what it does, unless a flag gave that.
  return words.some((word) => /^-\w*[ef]|^--(?:expression|file)\b/.test(word)) ? args : args.slice(1);
}

const showsFiles: ReadonlySet<string> = new Set("cat head tail less more nl tac bat batcat".split(" "));
