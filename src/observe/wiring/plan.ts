import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { OldhandError } from "../../lib/errors.ts";
import { stableJson, tryParseJson } from "../../lib/json.ts";
import { isWithin } from "../../lib/within.ts";
import type { PlannedFile, InstallTarget, Setup } from "../protocol/host.ts";
import { readHostFileText } from "./host-file.ts";
import { isCommandFile } from "./person-commands.ts";

/**
 * Every file that install writes: the host's own, our commands, and the MCP settings with our server, if they can be
 * edited.
 */
export function planFiles(setup: Setup, target: InstallTarget): readonly PlannedFile[] {
  const files = [...setup.plan(target), ...planCommandFiles(setup, target)];
  refuseOutsideProject(target.project, files);
  refuseBlocked(files);
  const server = planServerFile(setup, target, files);
  if (server === null || server.after === null) return files;
  refuseOutsideProject(target.project, [server]);
  refuseBlocked([server]);
  const at = files.findIndex((file) => file.path === server.path);
  return at === -1 ? [...files, server] : files.toSpliced(at, 1, server);
}

/** Files for a repository must be inside it: a clone may contain links to the user's own files. */
export function refuseOutsideProject(project: string | null, files: readonly Pick<PlannedFile, "path">[]): void {
  const out = files.find(({ path }) => isOutsideProject(path, project));
  if (out !== undefined)
    throw new OldhandError("refused", `${out.path} links to a place outside the repository ${project}`, {
      hint: "replace the link with a regular file, then install again; nothing was changed",
    });
}

/** Throws if a file is where a folder is needed, before anything is written. */
function refuseBlocked(files: readonly Pick<PlannedFile, "path">[]): void {
  for (const { path } of files) {
    let above = dirname(path);
    while (!existsSync(above)) above = dirname(above);
    if (!statSync(above).isDirectory())
      throw new OldhandError("input", `${above} is not a folder, so ${path} cannot be written`, {
        hint: "move it away, then install again; nothing was changed",
      });
  }
}

export function isOutsideProject(path: string, project: string | null): boolean {
  return project !== null && isInside(path, project) && !isWithin(path, project);
}

/** Compares names only. Paths in our home or the user's home are chosen by us, so they are not checked. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`);
}

/**
 * The commands that the user can type. A repository gets none, because commands belong to the user. A file that the
 * user wrote stays as it is.
 */
export function planCommandFiles(setup: Setup, target: InstallTarget): readonly PlannedFile[] {
  if (target.project !== null || target.team === true) return [];
  return (setup.commands?.(target) ?? []).map(({ path, text, typed }) => {
    const before = readHostFileText(path);
    const after = before === null || isCommandFile(before) ? text : before;
    return {
      path,
      before,
      after,
      why: typed === undefined ? "part of a command" : `the command ${typed}`,
      way: "commands",
    };
  });
}

/** Null if the host has no such file. `after` is null if the file cannot be edited. */
export function planServerFile(
  setup: Setup,
  target: InstallTarget,
  files: readonly PlannedFile[] = [],
): PlannedFile | null {
  // The entry contains this machine's path, so it is not written to files that a team shares.
  const path = target.team === true ? null : (setup.mcp?.path(target) ?? null);
  if (setup.mcp === undefined || path === null) return null;
  const shared = files.find((file) => file.path === path);
  const before = shared === undefined ? readHostFileText(path) : shared.before;
  const after = setup.mcp.with(shared?.after ?? before ?? "", target);
  const why = "oldhand among its MCP servers";
  return { path, before, after, why: shared === undefined ? why : `${shared.why}; ${why}`, way: "mcp" };
}

/**
 * The file with a server that an earlier install wrote and that is out of date; null if it is current or was never
 * there.
 */
export function findStaleServer(
  setup: Setup,
  target: InstallTarget,
  files: readonly PlannedFile[] = [],
): PlannedFile | null {
  const server = planServerFile(setup, target, files);
  if (server === null || server.before === null || server.after === null || server.before === server.after) return null;
  const others = setup.mcp?.without(server.before) ?? null;
  return others === null || isSameJson(others, server.before) ? null : server;
}

/** A file's text without anything of ours. Null if it cannot be parsed. */
export function removeOurs(setup: Setup, text: string): string | null {
  const stripped = setup.without?.(text) ?? null;
  // If nothing in it was ours, its formatting is kept.
  const rest = stripped !== null && isSameJson(stripped, text) ? text : stripped;
  return setup.mcp === undefined ? rest : (setup.mcp.without(rest ?? text) ?? rest);
}

function isSameJson(a: string, b: string): boolean {
  return stableJson(tryParseJson(a) ?? a) === stableJson(tryParseJson(b) ?? b);
}
