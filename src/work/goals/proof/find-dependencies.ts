import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { dependencyFolders } from "../../../domain/goal/steering.ts";
import { systemErrorCode } from "../../../lib/errors.ts";

/** Installed programs of a project, which are not part of its repository. */
export interface Dependency {
  /** Where it really is. */
  readonly from: string;
  /** As git writes it, relative to the project. */
  readonly path: string;
  /** Names in it that are links, and where they lead. */
  readonly links: readonly { readonly name: string; readonly target: string }[];
  /** Names in it that are shown one by one, so that tools can write beside them; null: it is shown as a whole. */
  readonly entries: readonly string[] | null;
}

export function findDependencies(folder: string, tracked: readonly string[]): readonly Dependency[] {
  const found: Dependency[] = [];
  const walk = (below: string, depth: number) => {
    for (const { name, isFolder } of listFolders(join(folder, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      if (dependencyFolders.has(name)) {
        const isTracked = tracked.some((one) => one.startsWith(`${path}/`) || one === path);
        if (!isTracked) found.push(...lookAt(join(folder, path), path));
      } else if (isFolder && depth < DEEPEST && !name.startsWith(".")) walk(path, depth + 1);
    }
  };
  walk("", 0);
  return found.slice(0, MOST_FOLDERS);
}

const DEEPEST = 2;
const MOST_FOLDERS = 50;
/** More mounts than this take seconds. */
const MOST_ENTRIES = 800;
/** Tools write here. */
const caches: ReadonlySet<string> = new Set([".vite", ".vite-temp", ".vitest", ".cache"]);

function lookAt(at: string, path: string): readonly Dependency[] {
  if (!statSync(at, { throwIfNoEntry: false })?.isDirectory()) return [];
  const from = realpathSync(at);
  const all = readdirSync(from, { withFileTypes: true }).filter(({ name }) => !caches.has(name));
  const links = all
    .filter((one) => one.isSymbolicLink())
    .map(({ name }) => ({ name, target: readlinkSync(join(from, name)) }));
  const entries = all.filter((one) => !one.isSymbolicLink()).map(({ name }) => name);
  // Python's environments know the place they are in, and nothing writes there.
  const isWhole = !path.endsWith("node_modules") || entries.length > MOST_ENTRIES;
  return [isWhole ? { from, path, links: [], entries: null } : { from, path, links, entries }];
}

function listFolders(folder: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((one) => one.name !== ".git" && (one.isDirectory() || one.isSymbolicLink()))
      .map((one) => ({ name: one.name, isFolder: one.isDirectory() }));
  } catch (error) {
    if (systemErrorCode(error) === "") throw error;
    return [];
  }
}

/** The other work trees of a repository, and its own: a check must see none of them. */
export function listWorkTrees(objects: string): readonly string[] {
  const common = join(objects, "..");
  const places = join(common, "worktrees");
  const linked = lstatSync(places, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(places).map((name) => dirname(readFileSync(join(places, name, "gitdir"), "utf8").trim()))
    : [];
  const main = common.endsWith(`${sep}.git`) ? [join(common, "..")] : [common];
  return [...main, ...linked].filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}
