import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isCredentialFile } from "../../domain/text/credential-file.ts";
import { linearRegex } from "../../lib/linear-regex.ts";
import { parentFolder, lastPathName, splitPath } from "../../domain/text/path-names.ts";

/** True if an answer must not mention this path. The path is relative to the workspace, with slashes. */
export type IsHidden = (path: string, isFolder: boolean) => boolean;

/** Hides what git ignores, what `.oldhandignore` names, credential files, and folders that belong to no project. */
export function newHiddenCheck(root: string): IsHidden {
  const known = new Map<string, readonly Pattern[]>();
  const patternsOf = (folder: string): readonly Pattern[] => {
    const found = known.get(folder) ?? ignoreFilesIn(folder).flatMap((list) => readPatterns(join(root, folder, list)));
    known.set(folder, found);
    return found;
  };
  const judged = new Map<string, boolean>();
  const isIgnored = (path: string, isFolder: boolean): boolean => {
    const before = judged.get(path);
    if (before !== undefined) return before;
    const folder = parentFolder(path);
    // A path in an ignored folder cannot be re-included.
    const found = (folder !== "" && isIgnored(folder, true)) || isNamed(path, isFolder);
    judged.set(path, found);
    return found;
  };
  const isNamed = (path: string, isFolder: boolean): boolean => {
    if (alwaysHidden.has(lastPathName(path)) || isCredentialFile(path)) return true;
    let isOut = false;
    for (const folder of foldersDownTo(path))
      for (const pattern of patternsOf(folder))
        if ((isFolder || !pattern.onlyFolders) && pattern.test(folder === "" ? path : path.slice(folder.length + 1)))
          isOut = !pattern.takesBack;
    return isOut;
  };
  return isIgnored;
}

const alwaysHidden: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules", ".DS_Store"]);

function ignoreFilesIn(folder: string): readonly string[] {
  const lists = [".gitignore", ".oldhandignore"];
  return folder === "" ? [join(".git", "info", "exclude"), ...lists] : lists;
}

/** The folders whose ignore files apply to a path, the outermost first. */
function foldersDownTo(path: string): readonly string[] {
  const names = splitPath(path).slice(0, -1);
  return ["", ...names.map((_, at) => names.slice(0, at + 1).join("/"))];
}

interface Pattern {
  readonly takesBack: boolean;
  readonly onlyFolders: boolean;
  test(path: string): boolean;
}

function readPatterns(file: string): readonly Pattern[] {
  try {
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) return [];
    const lines = size >= LARGEST ? null : readFileSync(file, "utf8").split("\n");
    return lines === null || lines.length > MOST ? [everything] : lines.flatMap(parsePattern);
  } catch {
    return [everything];
  }
}

const LARGEST = 100_000;
const MOST = 2_000;

/** Used if an ignore file is too large to read: what it hides is unknown, so everything is hidden. */
const everything: Pattern = { takesBack: false, onlyFolders: false, test: () => true };

function parsePattern(line: string): readonly Pattern[] {
  const text = line.replace(/\r$/, "").replace(/(?<!\\)\s+$/, "");
  if (text === "" || text.startsWith("#")) return [];
  const takesBack = text.startsWith("!");
  const glob = text.slice(takesBack ? 1 : 0).replace(/^\\(?=[#!])/, "");
  const onlyFolders = glob.endsWith("/");
  const bare = glob.replace(/^\/|\/$/g, "");
  if (bare === "") return [];
  // A slash at its start or inside anchors it to the folder of its ignore file.
  const isTied = glob.startsWith("/") || bare.includes("/");
  const source = `^${isTied ? "" : "(?:.*/)?"}${bare
    .split(/(\*\*\/|\/\*\*|\*|\?|\[[^\]]+\])/)
    .map(globPieceToRegex)
    .join("")}$`;
  const test = newPathTest(source, bare.match(/\*/g)?.length ?? 0);
  // A pattern that cannot be parsed safely hides everything; as a negation it is ignored.
  if (test === null || (takesBack && test === everything.test)) return [];
  return [{ takesBack, onlyFolders, test }];
}

/** With many wildcards, JavaScript's own regex may backtrack forever, and the file's author may intend that. */
function newPathTest(source: string, wildcards: number): Pattern["test"] | null {
  if (wildcards > 2) {
    const regex = linearRegex(source);
    return regex.kind === "refused" ? everything.test : regex.test;
  }
  try {
    const regex = new RegExp(source);
    return (path) => regex.test(path);
  } catch {
    // An invalid character class: git ignores the pattern too.
    return null;
  }
}

function globPieceToRegex(text: string): string {
  if (text === "**/") return "(?:.*/)?";
  if (text === "/**") return "/.*";
  if (text === "*") return "[^/]*";
  if (text === "?") return "[^/]";
  if (text.startsWith("[") && text.endsWith("]")) return text.replace(/^\[!/, "[^");
  return text.replace(/\\(.)/g, "$1").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
