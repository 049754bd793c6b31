import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { folderCovers } from "../../domain/workspace.ts";

/** Where to look for a package of a monorepo. */
export interface PackageSearch {
  /** The folder in which the command ran. */
  readonly from: string;
  /** The outermost folder to look in. */
  readonly workspace: string;
  /** False if no further folder may be read. */
  take(): boolean;
}

/**
 * The folder of a package that a command names by name or folder: `@shop/web`, `web`, `apps/web`, `./apps/web`. Looks
 * where `workspaces` of package.json or `packages` of pnpm-workspace.yaml point to. Null if it is not found.
 */
export function findPackageFolder(name: string, search: PackageSearch): string | null {
  const asked = name.replace(/^\.\.\.|\.\.\.$/g, "").replace(/\/+$/, "");
  for (let root = search.from; folderCovers(search.workspace, root); root = dirname(root)) {
    const direct = join(root, asked);
    if (folderCovers(search.workspace, direct) && isFile(join(direct, "package.json"))) return direct;
    const patterns = readPatterns(root);
    if (patterns.length > 0) return findByName(asked, listPackageFolders(root, patterns, search));
    if (root === dirname(root)) break;
  }
  return null;
}

/** A package of a monorepo. */
export interface WorkspacePackage {
  readonly folder: string;
  readonly name: string | null;
  readonly scripts: readonly string[];
}

/** The packages that a folder's manifest names for this package manager; empty if it names none. */
export function listPackages(
  root: string,
  manager: string,
  search: Omit<PackageSearch, "from">,
): readonly WorkspacePackage[] {
  const patterns = manager === "pnpm" ? readPnpmWorkspace(root) : readWorkspaces(root);
  const folders = listPackageFolders(root, patterns.filter(isIncluded), { ...search, from: root });
  return folders.map((folder) => {
    const { name, scripts } = readManifest(folder);
    return {
      folder,
      name: typeof name === "string" && /^[\w@./-]+$/.test(name) ? name : null,
      scripts: isRecord(scripts) ? Object.keys(scripts) : [],
    };
  });
}

/** The whole name first, then the last part of it, if that is unique. */
function findByName(asked: string, folders: readonly string[]): string | null {
  const short: string[] = [];
  for (const folder of folders) {
    const { name } = readManifest(folder);
    if (name === asked) return folder;
    if ((typeof name === "string" && name.endsWith(`/${asked}`)) || basename(folder) === asked) short.push(folder);
  }
  return short.length === 1 ? (short[0] ?? null) : null;
}

function readPatterns(root: string): readonly string[] {
  return [...readWorkspaces(root), ...readPnpmWorkspace(root)].filter(isIncluded);
}

function readWorkspaces(root: string): readonly string[] {
  const { workspaces } = readManifest(root);
  const listed = isRecord(workspaces) ? workspaces["packages"] : workspaces;
  return Array.isArray(listed) ? listed.filter((one): one is string => typeof one === "string") : [];
}

function readPnpmWorkspace(root: string): readonly string[] {
  return readPnpmPatterns(readText(join(root, "pnpm-workspace.yaml")));
}

function isIncluded(pattern: string): boolean {
  return !pattern.startsWith("!");
}

/** `packages:` as a list of lines or in brackets. */
function readPnpmPatterns(text: string): readonly string[] {
  const [, inline, lines = ""] =
    /^packages:[ \t]*(?:\[([^\]]*)\]|\n((?:[ \t]*(?:-[^\n]*|#[^\n]*)?(?:\n|$))*))/m.exec(text) ?? [];
  const words =
    inline === undefined
      ? [...lines.matchAll(/^[ \t]*-[ \t]*([^\n#]+)/gm)].map(([, one = ""]) => one)
      : inline.split(",");
  return words.map((one) => one.trim().replace(/^["']|["']$/g, "")).filter((one) => one !== "");
}

/** The folders that the patterns name: a path, `*` for each folder, `**` for three levels. */
function listPackageFolders(root: string, patterns: readonly string[], search: PackageSearch): readonly string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    let folders: readonly string[] = [root];
    for (const part of (pattern.match(/[^/]+/g) ?? []).filter((one) => one !== "."))
      folders = folders.flatMap((folder) => {
        if (part === "**") return listBelow(folder, 3, search);
        return part.includes("*")
          ? listFolders(folder, search).filter((one) => fits(part, basename(one)))
          : [join(folder, part)];
      });
    for (const folder of folders)
      if (folderCovers(search.workspace, folder) && isFile(join(folder, "package.json"))) found.add(folder);
  }
  return [...found];
}

function listBelow(folder: string, depth: number, search: PackageSearch): readonly string[] {
  const own = listFolders(folder, search);
  return depth === 0 ? [folder] : [folder, ...own.flatMap((one) => listBelow(one, depth - 1, search))];
}

function fits(pattern: string, name: string): boolean {
  const [start = "", end = ""] = pattern.split("*", 2);
  return name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length;
}

function listFolders(folder: string, search: PackageSearch): readonly string[] {
  if (!search.take()) return [];
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((one) => one.isDirectory() && one.name !== "node_modules" && !one.name.startsWith(".") && search.take())
      .map((one) => join(folder, one.name));
  } catch {
    // Missing or unreadable: no folders.
    return [];
  }
}

function readManifest(folder: string): Readonly<Record<string, unknown>> {
  const parsed = tryParseJson(readText(join(folder, "package.json")));
  return isRecord(parsed) ? parsed : {};
}

/** Larger files are not read before a call. */
const MOST_BYTES = 1_000_000;

function readText(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size <= MOST_BYTES ? readFileSync(path, "utf8") : "";
  } catch {
    // No permission, or a parent is a file.
    return "";
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
