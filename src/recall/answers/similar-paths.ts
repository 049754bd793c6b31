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
 * The paths below a workspace that are like one that is not there: the same names somewhere misspelt, a folder too many or
 * too few, the same name elsewhere. Near places are looked at first, so that what the budget cuts off is far away.
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

/** A folder, a file, or nothing that may be told. */
export function readPathKind({ root, isHidden }: FileSearchScope, names: PathNames): "folder" | "file" | null {
  try {
    const stat = statSync(join(root, ...names), { throwIfNoEntry: false });
    if (stat === undefined) return null;
    return isHidden(names.join("/"), stat.isDirectory()) ? null : stat.isDirectory() ? "folder" : "file";
  } catch {
    // A file stands where a folder should, or a name is too long: it is not there.
    return null;
  }
}

interface SearchStep {
  readonly at: PathNames;
  readonly rest: PathNames;
  readonly slips: number;
}

/** Down the folders that were asked for, or those of a near name where one is not there. */
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
  // A folder too many.
  searchDown(list, { at, rest: more, slips: slips + 1 }, add);
}

const MOST_SLIPS = 2;
const MOST_BRANCHES = 3;

/** Folder by folder, from the deepest that was asked for and is there outwards. */
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
