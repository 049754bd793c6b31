import { statSync } from "node:fs";
import { join } from "node:path";
import { canBeSimilar, nameSimilarity } from "../../domain/text/near-name.ts";
import type { PathNames, KnownPath } from "../../domain/text/rank-paths.ts";
import type { LookupBudget } from "./lookup-budget.ts";
import { listFolderEntries, type FolderEntry } from "./folder-entries.ts";
import type { IsHidden } from "./ignored.ts";

export interface FileSearchScope {
  readonly root: string;
  readonly isHidden: IsHidden;
  readonly budget: LookupBudget;
}

/**
 * Existing paths similar to a missing one: a misspelt name, a folder too many or too few, the same name
 * elsewhere. Searches near places first, so that the budget cuts off only distant ones.
 */
export function findSimilarPaths(scope: FileSearchScope, wanted: PathNames): readonly KnownPath[] {
  const found = new Map<string, KnownPath>();
  const list = newLister(scope);
  const add = (names: PathNames, isFolder: boolean) => {
    found.set(names.join("/"), { names, isFolder, uses: 0 });
  };
  for (let from = 1; from < wanted.length; from++) {
    const rest = wanted.slice(from);
    const there = readPathKind(scope, rest);
    if (there !== null) add(rest, there === "folder");
  }
  searchDown(list, { at: [], rest: wanted, slips: 0 }, add);
  searchOutwards(scope, list, wanted, add);
  return [...found.values()];
}

type List = (folder: PathNames) => readonly FolderEntry[];
type Add = (names: PathNames, isFolder: boolean) => void;

function newLister({ root, isHidden, budget }: FileSearchScope): List {
  const known = new Map<string, readonly FolderEntry[]>();
  return (folder) => {
    const path = folder.join("/");
    const before = known.get(path);
    if (before !== undefined) return before;
    const entries = budget.isOver() ? [] : listFolderEntries(join(root, ...folder), budget);
    const open = entries.filter((one) => !isHidden(path === "" ? one.name : `${path}/${one.name}`, one.isFolder));
    known.set(path, open);
    return open;
  };
}

/** The kind of path; null if it is missing or hidden. */
export function readPathKind({ root, isHidden }: FileSearchScope, names: PathNames): "folder" | "file" | null {
  try {
    const stat = statSync(join(root, ...names), { throwIfNoEntry: false });
    if (stat === undefined) return null;
    return isHidden(names.join("/"), stat.isDirectory()) ? null : stat.isDirectory() ? "folder" : "file";
  } catch {
    // A parent is a file, or a name is too long: the path does not exist.
    return null;
  }
}

/** All folders of this name, at most a few; null if the budget did not suffice to see them all. */
export function findFoldersNamed(scope: FileSearchScope, name: string): readonly PathNames[] | null {
  const list = newLister(scope);
  const found: PathNames[] = [];
  const queue: PathNames[] = [[]];
  for (let next = 0; next < queue.length && found.length < 2; next++) {
    if (scope.budget.isOver()) return null;
    const folder = queue[next] ?? [];
    for (const one of list(folder)) {
      if (!one.isFolder) continue;
      if (one.name === name) found.push([...folder, one.name]);
      if (folder.length < DEEPEST) queue.push([...folder, one.name]);
    }
  }
  return scope.budget.isOver() ? null : found;
}

interface SearchStep {
  readonly at: PathNames;
  readonly rest: PathNames;
  readonly slips: number;
}

/** Descends the requested folders, or similarly named ones if one is missing. */
function searchDown(list: List, { at, rest, slips }: SearchStep, add: Add): void {
  const [name = "", ...more] = rest;
  const entries = list(at);
  if (more.length === 0) {
    for (const one of entries)
      if (canBeSimilar(name, one.name) && nameSimilarity(name, one.name) > 0) add([...at, one.name], one.isFolder);
    return;
  }
  const folders = entries.filter((one) => one.isFolder);
  if (folders.some((one) => one.name === name)) return searchDown(list, { at: [...at, name], rest: more, slips }, add);
  if (slips >= MOST_SLIPS) return;
  const near = folders
    .filter((one) => canBeSimilar(name, one.name))
    .map((one) => ({ name: one.name, score: nameSimilarity(name, one.name) }))
    .filter((one) => one.score >= 0.6)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_BRANCHES);
  for (const one of near) searchDown(list, { at: [...at, one.name], rest: more, slips: slips + 1 }, add);
  // The path has a folder too many: skip it.
  searchDown(list, { at, rest: more, slips: slips + 1 }, add);
}

const MOST_SLIPS = 2;
const MOST_BRANCHES = 3;

/** Searches outwards, from the deepest existing folder of the path. */
function searchOutwards({ budget }: FileSearchScope, list: List, wanted: PathNames, add: Add): void {
  const last = wanted.at(-1) ?? "";
  const visited = new Set<string>();
  const depth = countExistingFolders(list, wanted);
  for (let from = depth; from >= 0; from--) {
    const queue: PathNames[] = [wanted.slice(0, from)];
    for (let next = 0; next < queue.length && !budget.isOver(); next++) {
      const folder = queue[next] ?? [];
      const path = folder.join("/");
      if (visited.has(path)) continue;
      visited.add(path);
      for (const one of list(folder)) {
        const names = [...folder, one.name];
        if (canBeSimilar(last, one.name) && nameSimilarity(last, one.name) >= 0.75) add(names, one.isFolder);
        if (one.isFolder && names.length < DEEPEST) queue.push(names);
      }
    }
  }
}

const DEEPEST = 12;

function countExistingFolders(list: List, wanted: PathNames): number {
  let depth = 0;
  while (
    depth < wanted.length - 1 &&
    list(wanted.slice(0, depth)).some((one) => one.isFolder && one.name === wanted[depth])
  )
    depth += 1;
  return depth;
}
