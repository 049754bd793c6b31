import { nameSimilarity } from "./near-name.ts";

/** A path relative to the workspace, split into names. */
export type PathNames = readonly string[];

export interface KnownPath {
  readonly names: PathNames;
  readonly isFolder: boolean | null;
  /** How many recorded calls used it. */
  readonly uses: number;
}

export interface NearPath extends KnownPath {
  readonly score: number;
  /** True if its name is not similar, but sessions used it in the requested folder. */
  readonly isBeside: boolean;
}

/**
 * Returns the existing paths that were probably meant, most likely first. If no name is similar, returns the files that
 * sessions used in that folder, marked `isBeside`.
 */
export function rankPaths(wanted: PathNames, known: readonly KnownPath[], most = 3): readonly NearPath[] {
  const last = wanted.at(-1) ?? "";
  // A parent folder of the wanted path is no answer, unless the path was doubled: `src/lib/src/lib` for `src/lib`.
  const others = known.filter(
    ({ names, isFolder }) =>
      isFolder === false || !names.every((name, at) => name === wanted[at]) || isDoubled(wanted, names),
  );
  const named = others.map((one) => ({ ...one, name: nameSimilarity(last, one.names.at(-1) ?? "") }));
  const isOnly = named.filter(({ name }) => name >= SURE).length === 1;
  const ranked = named.flatMap((one) => {
    const { names, isFolder, uses } = one;
    const score = scoreOf(wanted, one, isOnly);
    if (score !== null) return [{ names, isFolder, uses, score, isBeside: false }];
    return isUsedBeside(wanted, one) ? [{ names, isFolder, uses, score: usedScore(uses), isBeside: true }] : [];
  });
  ranked.sort(
    (a, b) => b.score - a.score || a.names.length - b.names.length || (a.names.join("/") < b.names.join("/") ? -1 : 1),
  );
  const best = ranked[0]?.score ?? 0;
  // Drops vague matches if there is a much better one.
  return ranked.filter((one) => one.score >= best - 0.25).slice(0, most);
}

const SURE = 0.95;

function scoreOf(wanted: PathNames, one: KnownPath & { readonly name: number }, isOnly: boolean): number | null {
  const { names, isFolder, uses, name } = one;
  const [last = "", base = ""] = [wanted.at(-1), names.at(-1)];
  const used = usedScore(uses);
  const [from, to] = [wanted.slice(0, -1), names.slice(0, -1)];
  const folders = folderSimilarity(from, to);
  const isOneOff = isOneStep(from, to) || isOneStep(to, from);
  if (isDoubled(wanted, names)) return 1 + used;
  if (name === 0 || !isNear(last, name, { folders, isOneOff, isOnly })) {
    // A file named like its folder is the folder's main file.
    const isMain = folders === 1 && uses >= 1 && endOf(base) === endOf(last) && isNamedLike(base, wanted.at(-2) ?? "");
    return isMain ? 0.5 + used : null;
  }
  // A name with an extension is a file. A folder replaces it only if the file became a package: `models/` for
  // `models.py`.
  const isOdd = endOf(last) !== "" && (isFolder ?? endOf(base) === "");
  if (isOdd && (folders < 1 || base !== stemOf(last))) return null;
  const oddKind = isOdd ? 0.15 : 0;
  return 0.6 * name + 0.35 * Math.max(folders, isOneOff ? 0.4 : 0) + used - oddKind;
}

function usedScore(uses: number): number {
  return Math.min(0.12, 0.025 * Math.log2(1 + uses));
}

function isUsedBeside(wanted: PathNames, { names, isFolder, uses }: KnownPath): boolean {
  const [last = "", base = ""] = [wanted.at(-1), names.at(-1)];
  if (isFolder === true || uses < 1 || wanted.length < 2 || endOf(last) === "" || endOf(base) !== endOf(last))
    return false;
  return folderSimilarity(wanted.slice(0, -1), names.slice(0, -1)) === 1;
}

interface Bearing {
  readonly folders: number;
  readonly isOneOff: boolean;
  /** True if no other known path has this name. */
  readonly isOnly: boolean;
}

function isNear(last: string, name: number, { folders, isOneOff, isOnly }: Bearing): boolean {
  if (folders === 1) return name >= 0.6;
  if (common.test(last)) return name >= 0.9 && (folders >= 0.5 || isOneOff || (isOnly && name >= SURE));
  return name >= 0.88 || (name >= 0.75 && (folders >= 0.6 || isOneOff));
}

/** True if a path relative to the workspace was resolved from inside itself. */
function isDoubled(wanted: PathNames, names: PathNames): boolean {
  const twice = wanted.length - names.length;
  return (
    twice > 1 &&
    names.every((name, at) => name === wanted[twice + at]) &&
    wanted.slice(0, twice).every((name, at) => name === names[at])
  );
}

/** True if `to` is `from` with one more folder. */
function isOneStep(from: PathNames, to: PathNames): boolean {
  return to.length === from.length + 1 && to.some((_, at) => to.toSpliced(at, 1).every((name, i) => name === from[i]));
}

/** `telemetry/telemetry.go`, `geminicli/gemini.go`. */
function isNamedLike(file: string, folder: string): boolean {
  const stem = stemOf(file).toLowerCase();
  if (endOf(file) === "" || stem.length < 3) return false;
  return folder.toLowerCase().includes(stem) || nameSimilarity(folder, stem) >= 0.6;
}

function stemOf(name: string): string {
  return name.slice(0, name.length - endOf(name).length);
}

function endOf(name: string): string {
  return /\.[A-Za-z]\w{0,5}$/.exec(name)?.[0].toLowerCase() ?? "";
}

/** 1 if the folders are equal; else the share of equal names from both ends, with similar names counted in part. */
export function folderSimilarity(wanted: PathNames, folders: PathNames): number {
  const longest = Math.max(wanted.length, folders.length);
  if (longest === 0) return 1;
  let [start, end] = [0, 0];
  const shortest = Math.min(wanted.length, folders.length);
  while (start < shortest && wanted[start] === folders[start]) start += 1;
  while (end < shortest - start && wanted[wanted.length - 1 - end] === folders[folders.length - 1 - end]) end += 1;
  let shared = start + end;
  const [one, other] = [wanted.slice(start, wanted.length - end), folders.slice(start, folders.length - end)];
  if (one.length === other.length)
    for (const [at, name] of one.entries()) shared += 0.9 * nameSimilarity(name, other[at] ?? "");
  return Math.min(0.99, shared / longest) + (start + end === longest && wanted.length === folders.length ? 0.01 : 0);
}

/** Names that occur in many folders: only the folder tells which file is meant. */
const common =
  /^(?:index|main|mod|__init__|utils?|helpers?|types?|constants?|config|package|readme|license|changelog|makefile|dockerfile|setup|test|tests|lib|src|common|styles?|page|layout|route|model|models|views?|app|server|client|errors?)(?:\.(?:d\.|test\.|spec\.)?\w+)?$/i;
