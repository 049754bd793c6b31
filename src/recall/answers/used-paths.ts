import { isAbsolute, resolve } from "node:path";
import type { KnownPath } from "../../domain/text/rank-paths.ts";
import { findPaths } from "../../domain/text/find-paths.ts";
import { splitPath } from "../../domain/text/path-names.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import type { Db } from "../../store/engine/db.ts";
import { listCallsNaming, type PathRecord } from "../../store/events/paths-used.ts";

/** Paths used by calls of this workspace that share a name with the missing one, or are in its folder. */
export async function findUsedPaths(
  db: Db,
  at: { readonly workspace: string; readonly host: string; readonly session: string },
  wanted: readonly string[],
): Promise<readonly KnownPath[]> {
  const words = listSearchWords(wanted);
  return collectPaths(await listCallsNaming(db, at, words), at.workspace, words);
}

/** Words that the intended path would share with the requested one. */
export function listSearchWords(wanted: readonly string[]): readonly string[] {
  const stem = (wanted.at(-1) ?? "").replace(/\.\w+$/, "");
  const folder = wanted.at(-2);
  return [stem, ...(folder === undefined ? [] : [`${folder}/`])].filter((word) => word.length > 2);
}

/** Paths below the workspace, weighted by how often they were named. */
export function collectPaths(
  records: readonly PathRecord[],
  workspace: string,
  words: readonly string[],
): readonly KnownPath[] {
  const found = new Map<string, KnownPath>();
  const small = words.map((word) => word.toLowerCase());
  const add = (path: string, cwd: string | null, uses: number) => {
    if (!small.some((word) => `${path.toLowerCase()}/`.includes(word))) return;
    const full = isAbsolute(path) ? path : resolve(cwd ?? workspace, path);
    const within = relativePathWithin(workspace, full.replace(/\/$/, ""));
    if (within === null || within === "") return;
    found.set(within, { names: splitPath(within), isFolder: null, uses: uses + (found.get(within)?.uses ?? 0) });
  };
  for (const { input, text, cwd, isOwn } of records) {
    for (const one of findPaths(withoutContents(input ?? ""))) if (!isAddress(one)) add(one, cwd, isOwn ? 2 : 1);
    // A result may contain anything: parts of a patch, of a URL, of a matched line.
    for (const one of findPaths(text ?? "")) if (isFile(one)) add(one, cwd, 0.25);
  }
  return [...found.values()];
}

function isFile(path: string): boolean {
  return /\.[A-Za-z]\w{0,5}$/.test(path) && !/^[ab]\//.test(path) && !isAddress(path);
}

/** `github.com/me/shop/src` is a module name. */
function isAddress(path: string): boolean {
  return /^[\w-]+\.(?:com|org|io|dev|net)\//.test(path);
}

/** Removes text that a call writes or searches for: it contains names of modules and methods, not used paths. */
function withoutContents(input: string): string {
  return input.replace(CONTENTS, "");
}

/** Fields of stored JSON, and here-documents of shell commands. */
const CONTENTS =
  /"(?:content|contents|old_string|new_string|old_str|new_str|file_text|insert_text|oldText|newText)":"(?:[^"\\]|\\.)*"|<<-?\s*\\?['"]*(\w+)[\s\S]*?\\n\1\b/g;
