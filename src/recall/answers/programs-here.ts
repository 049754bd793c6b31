import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { thisMachine } from "../../config.ts";
import { editDistance } from "../../lib/nearest.ts";
import { readOnlyPrograms } from "../../domain/risk/program-arguments.ts";
import { plainPrograms, shells, subcommands, wrappers } from "../../domain/shell/programs.ts";
import { lastPathName } from "../../domain/text/path-names.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
import type { AnswerLookup, Failure, FailureAnswer } from "./answer.ts";
import { listFolderEntries } from "../disk/folder-entries.ts";

/** For a program that is not installed: similar ones that are. */
export function findInstalledPrograms(around: AnswerLookup, { call, cause }: Failure): FailureAnswer | null {
  const thing = cause.thing === null ? null : lastPathName(cause.thing);
  if (thing === null || !/^[\w.+-]{1,60}$/.test(thing)) return null;
  const path = listPathFolders();
  const own = findInProject(around, call.cwd ?? around.root, thing);
  // If it is in our PATH, the call used another PATH, and ours cannot answer it.
  if (own.length === 0 && path.some((folder) => isProgram(join(folder, thing)))) return null;
  const known = [...own, ...findStandIns(thing, path)];
  const found = known.length > 0 ? known : findInPath(around, thing, path);
  const shown = [...new Set(found)].slice(0, 3);
  if (shown.length === 0) return null;
  return {
    label: `${thing} is not installed; ${shown.length === 1 ? "this program is" : "these programs are"}`,
    lines: shown,
    offers: { file: null, texts: shown.map((one) => one.replace(/ \(.*$/, "")) },
  };
}

/** Searches the usual folders for project programs; returns how to run it from there. */
function findInProject(around: AnswerLookup, cwd: string, thing: string): readonly string[] {
  for (let folder = resolve(cwd); relativePathWithin(around.root, folder) !== null; folder = dirname(folder)) {
    const here = relativePathWithin(around.root, folder) ?? "";
    const below = (path: string) => (here === "" || folder === resolve(cwd) ? path : join(folder, path));
    if (isProgram(join(folder, "node_modules", ".bin", thing)))
      return [`npx ${thing}`, below(`node_modules/.bin/${thing}`)];
    for (const place of projectProgramFolders) {
      const found = [thing, ...(otherNames[thing] ?? [])].find((name) => isProgram(join(folder, place, name)));
      if (found !== undefined) return [below(`${place}/${found}`)];
    }
    if (folder === dirname(folder)) break;
  }
  return [];
}

const projectProgramFolders = [
  ".venv/bin",
  "venv/bin",
  "env/bin",
  ".venv/Scripts",
  "vendor/bin",
  "bin",
  "scripts",
  "tools",
  "script",
];

function findStandIns(thing: string, path: readonly string[]): readonly string[] {
  return (otherNames[thing] ?? []).filter((other) =>
    path.some((folder) => isProgram(join(folder, other.split(" ")[0] ?? other))),
  );
}

/** The same program under other names, or programs that do the same. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  python: ["python3"],
  python2: ["python3"],
  python3: ["python"],
  py: ["python3", "python"],
  pip: ["pip3", "python3 -m pip"],
  pip3: ["pip", "python3 -m pip"],
  node: ["nodejs"],
  nodejs: ["node"],
  "docker-compose": ["docker compose"],
  docker: ["podman"],
  tree: ["find", "ls"],
  htop: ["top"],
  btop: ["top"],
  less: ["more"],
  nc: ["ncat", "telnet"],
  realpath: ["readlink"],
  gcp: ["cp"],
  gfind: ["find"],
  gtar: ["tar"],
  rg: ["grep"],
  ripgrep: ["rg", "grep"],
  ag: ["rg", "grep"],
  ack: ["rg", "grep"],
  fd: ["fdfind", "find"],
  fdfind: ["fd", "find"],
  bat: ["batcat", "cat"],
  exa: ["ls"],
  eza: ["ls"],
  gsed: ["sed"],
  gawk: ["awk"],
  ggrep: ["grep"],
  gdate: ["date"],
  gtimeout: ["timeout"],
  gmake: ["make"],
  nvim: ["vim", "vi"],
  vim: ["vi"],
  bunx: ["npx"],
  pnpx: ["npx"],
  open: ["xdg-open"],
  pbcopy: ["xclip", "xsel"],
  wget: ["curl"],
  curl: ["wget"],
  shasum: ["sha256sum"],
  md5: ["md5sum"],
  ifconfig: ["ip"],
  netstat: ["ss"],
  gcc: ["cc", "clang"],
  cc: ["gcc", "clang"],
  zsh: ["bash"],
};

/**
 * Names with one typo, or the same name with a version suffix. The name of a program that exists elsewhere is no typo:
 * `tree` is not `free`.
 */
function findInPath({ budget }: AnswerLookup, thing: string, path: readonly string[]): readonly string[] {
  if (thing.length < 3) return [];
  const most = thing.length < 4 || isKnownProgram(thing) ? 0.5 : 1;
  const bare = stripVersion(thing);
  const found: { readonly name: string; readonly slips: number }[] = [];
  for (const folder of path) {
    if (budget.isOver()) break;
    for (const { name, isFolder } of listFolderEntries(folder, budget)) {
      if (isFolder || (name[0] !== thing[0] && name[1] !== thing[1])) continue;
      const isVersion = name.startsWith(bare) && stripVersion(name) === bare;
      if (!isVersion && Math.abs(name.length - thing.length) > most) continue;
      const slips = isVersion || (isSwapped(thing, name) && !isKnownProgram(thing)) ? 0.5 : editDistance(thing, name);
      if (slips <= most && isProgram(join(folder, name))) found.push({ name, slips });
    }
  }
  return found.toSorted((a, b) => a.slips - b.slips || a.name.length - b.name.length).map(({ name }) => name);
}

function isKnownProgram(name: string): boolean {
  return (
    Object.hasOwn(otherNames, name) ||
    otherPrograms.has(name) ||
    [plainPrograms, subcommands, wrappers, shells, readOnlyPrograms].some((known) => known.has(name))
  );
}

/** Programs that the other lists do not have. */
const otherPrograms: ReadonlySet<string> = new Set(
  "glab hub tig fzf screen tmux entr pv nmap pdftk act hyperfine tokei cloc scc dust duf ncdu procs lsd zoxide gdb lldb valgrind strace ltrace perf shfmt actionlint trivy".split(
    " ",
  ),
);

/** `gti` for `git`. */
function isSwapped(a: string, b: string): boolean {
  const sorted = (name: string) => [...name].toSorted().join("");
  return a.length === 3 && a !== b && sorted(a) === sorted(b);
}

function stripVersion(name: string): string {
  return name.replace(/[-.]?\d[\d.]*$/, "");
}

/** Each folder once, even if PATH contains it under two names. */
function listPathFolders(): readonly string[] {
  const { env } = thisMachine();
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...new Map(folders.slice(0, 40).map((folder) => [resolveRealPath(folder), folder])).values()];
}

function resolveRealPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // A missing folder contains no programs.
    return folder;
  }
}

function isProgram(path: string): boolean {
  try {
    if (!(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // It exists, but may not be executed.
    return false;
  }
}
