import { isSameScript } from "../../domain/text/same-words.ts";
import { changesTarget } from "../../domain/text/target-change.ts";
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isSameProgram } from "../../domain/fact/fact-alternative.ts";
import type { Fact } from "../../domain/fact/fact.ts";
import { parseScriptSubject, type ScriptSubject } from "../../domain/fact/scripts.ts";
import { declaresScript, scriptFiles } from "../../domain/text/declared-scripts.ts";
import { listDeclaredNames } from "../../domain/text/script-likeness.ts";
import { folderCovers } from "../../domain/workspace.ts";
import type { ScriptPackage } from "../../domain/fact/fact-message.ts";
import { findPackageFolder } from "../disk/find-package.ts";
import { findScriptPackages } from "../disk/script-packages.ts";

/** The fields of a fact that a check needs. */
export type CheckedFact = Pick<Fact, "kind" | "subject" | "workspace" | "at">;

/** `unsure`: this machine cannot tell, so the fact is neither shown nor dropped. */
export type FactState = "holds" | "over" | "unsure";

/** Whether a fact holds on this machine now. Looks only at what it names, never searches. */
export function checkFactState(fact: CheckedFact, env: Readonly<Record<string, string | undefined>>): FactState {
  try {
    // A workspace of another machine: its paths cannot be checked here.
    if (statPath(fact.workspace)?.isDirectory() !== true) return "unsure";
    return factChecks[fact.kind](fact, env);
  } catch {
    // No permission, or an unreadable manifest.
    return "unsure";
  }
}

/** What worked instead, if it still exists; else null. */
export function findWorkingInstead(fact: Fact, env: Readonly<Record<string, string | undefined>>): string | null {
  const { instead, kind, subject } = fact;
  if (instead === null || changesTarget(instead, subject)) return null;
  try {
    if (kind === "missing-path") return statPath(instead) === undefined ? null : instead;
    if (kind === "missing-program" && !isSameProgram(instead, subject)) return null;
    if (kind === "missing-program")
      return isInstalled(instead.split(" ", 1)[0] ?? "", env, fact.workspace) ? instead : null;
    if (kind === "unknown-script") {
      const missing = parseScriptSubject(subject);
      if (instead.includes("#"))
        return hasScript(parseScriptSubject(instead), fact.workspace) === true ? instead : null;
      if (!isSameScript(instead, missing.script)) return null;
      const named = { ...missing, script: instead };
      return hasScript(named, fact.workspace) === true ? instead : null;
    }
    return instead;
  } catch {
    return null;
  }
}

/** The scripts that a manifest declares, in its order, after those that are the wanted one under another name. */
function listDeclared(manifest: string, wanted: string): readonly string[] {
  const names = scriptFiles.find(({ file }) => file === basename(manifest))?.names;
  if (names === undefined || (statPath(manifest)?.size ?? 0) > MOST_BYTES) return [];
  const all = names(readFileSync(manifest, "utf8")).filter((name) => name.length <= LONGEST_NAME);
  const shown = listDeclaredNames(wanted, all, MOST_NAMES + 1);
  return shown.length > MOST_NAMES ? [...listDeclaredNames(wanted, all, MOST_NAMES), "…"] : shown;
}

const MOST_NAMES = 8;
const LONGEST_NAME = 40;

/** For an unknown script, adds the manifest that its runner would use, what it declares, and the packages that have the script. */
export function locateManifest<T extends Pick<Fact, "kind" | "subject" | "workspace" | "by" | "instead">>(
  fact: T,
): T & LocatedManifest {
  if (fact.kind !== "unknown-script") return fact;
  try {
    if (statPath(fact.workspace)?.isDirectory() !== true) return fact;
    const named = parseScriptSubject(fact.subject);
    const manifest = findManifest(named, fact.workspace);
    if (manifest === null) return named.of === null ? { ...fact, manifest } : fact;
    const packages = named.of === null ? findPackagesOf(fact, manifest, named.script) : [];
    return { ...fact, manifest, declared: listDeclared(manifest, named.script), packages };
  } catch {
    // No permission to read the folder: the manifest stays as the call named it.
    return fact;
  }
}

interface LocatedManifest {
  readonly manifest?: string | null;
  readonly declared?: readonly string[];
  readonly packages?: readonly ScriptPackage[];
}

/** The packages that have the script, if the manifest that lacks it is a `package.json`. */
function findPackagesOf(
  { by, instead, workspace }: Pick<Fact, "by" | "instead" | "workspace">,
  manifest: string,
  script: string,
): readonly ScriptPackage[] {
  const worked = instead?.includes("#") === true ? findManifest(parseScriptSubject(instead), workspace) : null;
  let left = MOST_FOLDERS;
  return findScriptPackages(
    { script, program: by.split(" ", 1)[0] ?? "", manifest, worked: worked === null ? null : dirname(worked) },
    { workspace, take: () => left-- > 0 },
  );
}

type FactCheck = (fact: CheckedFact, env: Readonly<Record<string, string | undefined>>) => FactState;

const factChecks: Readonly<Record<Fact["kind"], FactCheck>> = {
  "missing-path": ({ subject }) => (statPath(subject) === undefined ? "holds" : "over"),
  "is-folder": ({ subject }) => (statPath(subject)?.isDirectory() === true ? "holds" : "over"),
  // A file that was changed since may have become smaller.
  "too-large": ({ subject, at }) => ((statPath(subject)?.mtimeMs ?? Infinity) <= at ? "holds" : "over"),
  "missing-program": ({ subject, workspace }, env) => (isInstalled(subject, env, workspace) ? "over" : "holds"),
  "unknown-script": ({ subject, workspace }) => {
    const named = parseScriptSubject(subject);
    if (statPath(dirname(named.manifest))?.isDirectory() !== true) return "over";
    const has = hasScript(named, workspace);
    return has === null ? "unsure" : has ? "over" : "holds";
  },
  "unknown-remote": ({ subject, workspace }) => (hasRemote(subject, workspace) ? "over" : "holds"),
};

function statPath(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A parent of the path is a file, so the path does not exist.
    if (error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

function isInstalled(program: string, env: Readonly<Record<string, string | undefined>>, workspace: string): boolean {
  if (program.includes("/")) return statPath(join(workspace, program)) !== undefined || statPath(program) !== undefined;
  const path = env["PATH"] ?? env["Path"] ?? "";
  const endings = process.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];
  const folders = path.split(process.platform === "win32" ? ";" : ":").filter((folder) => folder !== "");
  return folders.some((folder) =>
    endings.some((ending) => statPath(join(folder, program + ending))?.isFile() === true),
  );
}

/** Larger manifests are not read before a call. */
const MOST_BYTES = 1_000_000;

/** Null if the manifest alone cannot tell. */
function hasScript(named: ScriptSubject, workspace: string): boolean | null {
  const { script } = named;
  const file = findManifest(named, workspace);
  if (file === null) return named.of === null ? false : null;
  if ((statPath(file)?.size ?? 0) > MOST_BYTES) return null;
  const text = readFileSync(file, "utf8");
  const name = file.slice(dirname(file).length + 1);
  if (/\.jsonc?$/.test(name)) {
    const { scripts, tasks } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (Object.hasOwn(Object(tasks ?? scripts ?? {}) as object, script)) return true;
    // Package managers also run programs from `node_modules/.bin`.
    return name === "package.json" && statPath(join(dirname(file), "node_modules", ".bin", script)) !== undefined;
  }
  // Included files are not searched.
  if (/^(?:-?include|import|includes:)\b/m.test(text)) return null;
  // A target may be a file name, and pattern rules match any name.
  if (
    name.toLowerCase().includes("makefile") &&
    (/^[^\s#]*%/m.test(text) || statPath(join(dirname(file), script)) !== undefined)
  )
    return null;
  return declaresScript(name, text, script);
}

/** The manifest of the package that the command named, else the nearest one. */
function findManifest({ manifest, of }: ScriptSubject, workspace: string): string | null {
  if (of === null) return findNearestManifest(manifest, workspace);
  let left = MOST_FOLDERS;
  const folder = findPackageFolder(of, { from: dirname(manifest), workspace, take: () => left-- > 0 });
  return folder === null ? null : join(folder, "package.json");
}

/** A larger monorepo is not searched before a call. */
const MOST_FOLDERS = 500;

/**
 * The manifest that a runner would use: in the folder, or above it within the workspace. Null for a folder that does not
 * exist: nothing runs there.
 */
export function findNearestManifest(manifest: string, workspace: string): string | null {
  const name = manifest.slice(dirname(manifest).length + 1);
  if (statPath(dirname(manifest))?.isDirectory() !== true) return null;
  for (let folder = dirname(manifest); folderCovers(workspace, folder); folder = dirname(folder)) {
    for (const one of spellings[name] ?? [name]) {
      const found = statPath(join(folder, one));
      if (found?.isFile() === true) return join(folder, one);
    }
    if (folder === dirname(folder)) break;
  }
  return null;
}

const spellings: Readonly<Record<string, readonly string[]>> = {
  Makefile: ["GNUmakefile", "makefile", "Makefile"],
  justfile: ["justfile", "Justfile", ".justfile"],
  "Taskfile.yml": ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
  "deno.json": ["deno.json", "deno.jsonc"],
};

/** Only a short name is checked; a URL would need the network. */
function hasRemote(name: string, workspace: string): boolean {
  if (!/^[\w.-]+$/.test(name)) return false;
  const config = readFileSync(readGitConfig(workspace), "utf8");
  return config.includes(`[remote "${name}"]`);
}

function readGitConfig(workspace: string): string {
  const git = join(workspace, ".git");
  if (statPath(git)?.isDirectory() === true) return join(git, "config");
  // A worktree's `.git` file names a folder below the main `.git`, which contains the config.
  const of = /^gitdir: (.+?)(?:\/worktrees\/[^/\n]+)?$/m.exec(readFileSync(git, "utf8"))?.[1] ?? "";
  return join(of, "config");
}
