import { posix } from "node:path";
import { isNamedForChecks, listImports } from "../../../domain/goal/imports.ts";
import { isTestPath } from "../../../domain/goal/steering.ts";
import type { ChangedPath, CleanRepository } from "./clean-repository.ts";

/**
 * The changed files that only check files import, and that are there for them: by their name (support/eq.js), or because they lie
 * beside the script of the check (tools/expect.js) while what it looks at lies elsewhere. What other source imports too is
 * what the check looks at.
 */
export async function findSupport(
  repository: CleanRepository,
  {
    base,
    checkFiles,
    changes,
  }: {
    readonly base: string;
    readonly checkFiles: readonly string[];
    readonly changes: readonly ChangedPath[];
  },
): Promise<readonly ChangedPath[]> {
  const imports = newImportReader(repository, base, new Set(await repository.listPaths(base)));
  const isCheckFile = (path: string) => checkFiles.includes(path) || isTestPath(path);
  const isBeside = async (path: string, importer: string) =>
    checkFiles.includes(importer) &&
    !isTestPath(importer) &&
    posix.dirname(path) !== "." &&
    posix.dirname(importer) === posix.dirname(path) &&
    (await imports.of(importer)).some((other) => posix.dirname(other) !== posix.dirname(path));
  const isForChecks = async (path: string, seen: readonly string[]): Promise<boolean> => {
    if (isCheckFile(path) || seen.includes(path)) return true;
    const importers = await imports.importersOf(path);
    if (importers.length === 0 || seen.length >= DEEPEST) return false;
    let isSupport = isNamedForChecks(path);
    for (const one of importers) isSupport ||= await isBeside(path, one);
    if (!isSupport) return false;
    for (const one of importers) if (!(await isForChecks(one, [...seen, path]))) return false;
    return true;
  };
  const found: ChangedPath[] = [];
  for (const change of changes.filter(({ before }) => before !== null).slice(0, MOST_CHANGES))
    if (await isForChecks(change.path, [])) found.push(change);
  return found;
}

const MOST_CHANGES = 200;
const MOST_FILES = 200;
const DEEPEST = 6;

/** Reads each file at most once. */
function newImportReader(repository: CleanRepository, base: string, known: ReadonlySet<string>) {
  const read = new Map<string, Promise<readonly string[]>>();
  const readImports = async (path: string) => {
    const text = (await repository.readText(base, path)) ?? "";
    return listImports(path, text).flatMap((places) => places.find((one) => known.has(one)) ?? []);
  };
  const of = (path: string) => {
    const found = read.get(path) ?? readImports(path);
    read.set(path, found);
    return found;
  };
  /** The files that mention its name are few: git finds them. */
  const importersOf = async (path: string): Promise<readonly string[]> => {
    const name = posix.basename(path).replace(/\.[^.]+$/, "");
    const mentioned = /^(?:index|__init__)$/.test(name) ? posix.basename(posix.dirname(path)) : name;
    const { stdout } = await repository.ask(["grep", "-l", "-z", "-I", "-F", "-e", mentioned, base, "--"]);
    const files = stdout
      .split("\0")
      .map((line) => line.slice(base.length + 1))
      .filter((one) => one !== "" && one !== path);
    const importers: string[] = [];
    for (const one of files.slice(0, MOST_FILES)) if ((await of(one)).includes(path)) importers.push(one);
    return importers;
  };
  return { of, importersOf };
}
