import { dirname, join, resolve } from "node:path";
import { joinWords } from "../../domain/cause/sentence-parts.ts";
import { formatPackageCommand } from "../../domain/fact/fact-message.ts";
import { parseCommands, type ShellCommand } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { findPackageScope } from "../../domain/shell/package-scope.ts";
import { scriptWord } from "../../domain/shell/script-runners.ts";
import { scriptFiles } from "../../domain/text/declared-scripts.ts";
import { listDeclaredNames } from "../../domain/text/script-likeness.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import { findPackageFolder } from "../disk/find-package.ts";
import { findScriptPackages } from "../disk/script-packages.ts";
import type { AnswerLookup, Failure, FailureAnswer } from "./answer.ts";
import { readWorkspaceText } from "./open-file.ts";

/** For an undeclared script, target or task: the declared ones, without an advice. */
export function findDeclaredScripts(around: AnswerLookup, { call, cause }: Failure): FailureAnswer | null {
  const { thing } = cause;
  if (thing === null) return null;
  const commands = parseCommands(findShellText(call.input) ?? "");
  const running = commands.find((one) => one.words.includes(thing)) ?? commands.at(-1);
  const meant = scriptFiles.filter(({ programs }) => running === undefined || programs.includes(running.program));
  const workdir = (call.input as { readonly workdir?: unknown } | null)?.workdir;
  const base = typeof workdir === "string" ? workdir : (call.cwd ?? around.root);
  const from = resolve(base, running?.cwd ?? ".");
  const inPackage = running === undefined ? null : findInPackages(around, { thing, running, from });
  if (inPackage !== null) return inPackage;
  for (const folder of foldersToRead(around, from, running))
    for (const { file, names } of meant) {
      const text = readWorkspaceText(around, folder, file);
      const found = text === null ? [] : names(text).filter((name) => name !== thing && name.length <= 60);
      if (found.length === 0) continue;
      const within = relativePathWithin(around.root, folder) ?? "";
      const sorted = listDeclaredNames(thing, found, MOST);
      if (sorted.length === 0) return null;
      const shown = sorted.slice(0, MOST);
      const list = (some: readonly string[]) => [some.join(", ") + (some.length < found.length ? ", …" : "")];
      return {
        label: `${scriptWord(file)}s in ${within === "" ? file : `${within}/${file}`}`,
        lines: list(shown),
        shorter: list(listDeclaredNames(thing, found, Math.max(1, countFitting(shown)))),
        offers: { file: null, texts: shown },
      };
    }
  return null;
}

/** The packages of the monorepo that have the script, if the nearest `package.json` lacks it. */
function findInPackages(
  around: AnswerLookup,
  { thing, running, from }: { readonly thing: string; readonly running: ShellCommand; readonly from: string },
): FailureAnswer | null {
  const { program, words } = running;
  const file = "package.json";
  if (findPackageScope(program, words) !== null) return null;
  const folder = listFoldersUpTo(around.root, from).find((one) => readWorkspaceText(around, one, file) !== null);
  if (folder === undefined) return null;
  const found = findScriptPackages(
    { script: thing, program, manifest: join(folder, file) },
    { workspace: around.root, take: () => around.budget.take() },
  );
  if (found.length === 0) return null;
  const folders = found.map((one) => `\`${relativePathWithin(around.root, one.folder) ?? one.folder}\``);
  const commands = found.map((one) => formatPackageCommand(one, from, around.root));
  return {
    label: `\`${thing.slice(0, 40)}\` is a script of ${joinWords(folders)}`,
    lines: commands,
    offers: { file: null, texts: found.map(({ command }) => command) },
  };
}

const MOST = 20;

/** How many names fit next to the label. */
function countFitting(names: readonly string[]): number {
  let room = 190;
  return names.filter((name) => (room -= name.length + 2) > 0).length;
}

/** If the command names a package of a monorepo, only its folder. */
function foldersToRead(
  { root, budget }: AnswerLookup,
  from: string,
  running: ShellCommand | undefined,
): readonly string[] {
  const scope = running === undefined ? null : findPackageScope(running.program, running.words);
  if (scope === null) return listFoldersUpTo(root, from);
  const search = { from, workspace: root, take: () => budget.take() };
  const folder = scope.name === null ? null : findPackageFolder(scope.name, search);
  return folder === null ? [] : [folder];
}

/** The folder itself and its parents, up to the workspace. */
function listFoldersUpTo(root: string, folder: string): readonly string[] {
  const folders: string[] = [];
  for (let at = folder; relativePathWithin(root, at) !== null; at = dirname(at)) {
    folders.push(at);
    if (at === dirname(at)) break;
  }
  return folders.length === 0 ? [root] : folders;
}
