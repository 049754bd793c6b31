import { plainPath } from "../../domain/shell/plain-path.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import { isRecord } from "../../lib/json.ts";
import type { GroupTry } from "./find-causes.ts";

/** The path that a program which reads files did not find, if the call named it. */
export function findMissedPath({ failed, cause, head, traits }: GroupTry): string | null {
  if (!failed || cause?.kind !== "missing-path" || cause.thing === null || !fileReaders.has(head ?? "")) return null;
  const path = plainPath(cause.thing, head);
  return traits.has(`arg ${path}`) ? path : null;
}

export const fileReaders: ReadonlySet<string> = new Set(
  "cat head tail less more nl wc bat grep egrep fgrep rg ugrep sed awk jq stat file".split(" "),
);

/** The one path that all of these calls missed, if something besides it distinguishes them. */
export function findSharedPath(failures: readonly GroupTry[]): string | null {
  const [path, ...others] = new Set(failures.map(findMissedPath));
  if (path == null || others.length > 0) return null;
  const isPlain = (one: GroupTry) =>
    one.traits.has(`call ${one.head} ${path}`) || one.traits.has(`call ${one.head} ./${path}`);
  return new Set(failures.map((one) => one.head)).size > 1 || !failures.every(isPlain) ? path : null;
}

/** The latest folder below the session's own that a tool for files was called with, as an example for the sentence. */
export function findFolderExample(failures: readonly GroupTry[]): string | null {
  const folders = failures.flatMap(({ event, cause }) => {
    if (cause?.kind !== "is-folder") return [];
    const path = isRecord(event.input) ? event.input["file_path"] : null;
    const inside = typeof path === "string" ? relativePathWithin(event.cwd ?? event.workspace ?? "", path) : null;
    return inside !== null && plainFolder.test(inside) ? [inside] : [];
  });
  return folders.at(-1) ?? null;
}

/** No text that could be read as anything else, and no part of it that a person would not type. */
const plainFolder = /^(?!.*\.\.)[\w.][\w.-]{0,40}(?:\/[\w.-]{1,40}){0,6}\/?$/;

/** The paths at which a script was called that is not there. */
export function listTriedPrograms(failures: readonly GroupTry[]): readonly string[] {
  const programs = failures.flatMap(({ traits }) => [...traits].filter((trait) => trait.startsWith(PROGRAM_TRAIT)));
  return [...new Set(programs)].map((trait) => trait.slice(PROGRAM_TRAIT.length)).toSorted();
}

const PROGRAM_TRAIT = "program ";
