import { statSync } from "node:fs";
import { join } from "node:path";
import { mayBeNear, nearness } from "../../domain/text/near-name.ts";
import type { Names, PathSeen } from "../../domain/text/rank-paths.ts";
import type { Budget } from "./budget.ts";
import { entriesOf, type Entry } from "./folder-entries.ts";
import type { IsHidden } from "./ignored.ts";

export interface Place {
  readonly root: string;
  readonly isHidden: IsHidden;
  readonly budget: Budget;
}

/**
 * The paths below a workspace that are like one that is not there: the same names somewhere misspelt, a folder too many or
 * too few, the same name elsewhere. Near places are looked at first, so that what the budget cuts off is far away.
 */
export function lookAround(place: Place, asked: Names): readonly PathSeen[] {
  const found = new Map<string, PathSeen>();
  const list = lister(place);
  const add = (names: Names, isFolder: boolean) => {
    found.set(names.join("/"), { names, isFolder, uses: 0 });
  };
  for (let from = 1; from < asked.length; from++) {
    const rest = asked.slice(from);
    const there = kindOf(place, rest);
    if (there !== null) add(rest, there === "folder");
  }
  descend(list, { at: [], rest: asked, slips: 0 }, add);
  spread(place, list, asked, add);
  return [...found.values()];
}

type List = (folder: Names) => readonly Entry[];
type Add = (names: Names, isFolder: boolean) => void;

function lister({ root, isHidden, budget }: Place): List {
  const known = new Map<string, readonly Entry[]>();
  return (folder) => {
    const path = folder.join("/");
    const before = known.get(path);
    if (before !== undefined) return before;
    const entries = budget.isOver() ? [] : entriesOf(join(root, ...folder), budget);
    const open = entries.filter((one) => !isHidden(path === "" ? one.name : `${path}/${one.name}`, one.isFolder));
    known.set(path, open);
    return open;
  };
}

/** A folder, a file, or nothing that may be told. */
export function kindOf({ root, isHidden }: Place, names: Names): "folder" | "file" | null {
  try {
    const stat = statSync(join(root, ...names), { throwIfNoEntry: false });
    if (stat === undefined) return null;
    return isHidden(names.join("/"), stat.isDirectory()) ? null : stat.isDirectory() ? "folder" : "file";
  } catch {
    // A file stands where a folder should, or a name is too long: it is not there.
    return null;
  }
}

interface Step {
  readonly at: Names;
  readonly rest: Names;
  readonly slips: number;
}

/** Down the folders that were asked for, or those of a near name where one is not there. */
function descend(list: List, { at, rest, slips }: Step, add: Add): void {
  const [name = "", ...more] = rest;
  const entries = list(at);
  if (more.length === 0) {
    for (const one of entries)
      if (mayBeNear(name, one.name) && nearness(name, one.name) > 0) add([...at, one.name], one.isFolder);
    return;
  }
  const folders = entries.filter((one) => one.isFolder);
  if (folders.some((one) => one.name === name)) return descend(list, { at: [...at, name], rest: more, slips }, add);
  if (slips >= MOST_SLIPS) return;
  const near = folders
    .filter((one) => mayBeNear(name, one.name))
    .map((one) => ({ name: one.name, score: nearness(name, one.name) }))
    .filter((one) => one.score >= 0.6)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_WAYS);
  for (const one of near) descend(list, { at: [...at, one.name], rest: more, slips: slips + 1 }, add);
  // A folder too many.
  descend(list, { at, rest: more, slips: slips + 1 }, add);
}

const MOST_SLIPS = 2;
const MOST_WAYS = 3;

/** Folder by folder, from the deepest that was asked for and is there outwards. */
function spread({ budget }: Place, list: List, asked: Names, add: Add): void {
  const last = asked.at(-1) ?? "";
  const seen = new Set<string>();
  const depth = deepest(list, asked);
  for (let from = depth; from >= 0; from--) {
    const queue: Names[] = [asked.slice(0, from)];
    for (let next = 0; next < queue.length && !budget.isOver(); next++) {
      const folder = queue[next] ?? [];
      const path = folder.join("/");
      if (seen.has(path)) continue;
      seen.add(path);
      for (const one of list(folder)) {
        const names = [...folder, one.name];
        if (mayBeNear(last, one.name) && nearness(last, one.name) >= 0.75) add(names, one.isFolder);
        if (one.isFolder && names.length < DEEPEST) queue.push(names);
      }
    }
  }
}

const DEEPEST = 12;

function deepest(list: List, asked: Names): number {
  let depth = 0;
  while (
    depth < asked.length - 1 &&
    list(asked.slice(0, depth)).some((one) => one.isFolder && one.name === asked[depth])
  )
    depth += 1;
  return depth;
}
