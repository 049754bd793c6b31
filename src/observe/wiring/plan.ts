import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { OldhandError } from "../../lib/errors.ts";
import { stableJson, tryParse } from "../../lib/json.ts";
import { isWithin } from "../../lib/within.ts";
import type { PlannedFile, Place, Setup } from "../protocol/host.ts";
import { hostText } from "./host-file.ts";
import { isCommandFile } from "./person-commands.ts";

/** Every file that installing writes: the host's own, our commands, and our server among its MCP servers, where it can be written. */
export function plannedFiles(setup: Setup, place: Place): readonly PlannedFile[] {
  const files = [...setup.plan(place), ...plannedCommands(setup, place)];
  refuseLeadingOut(place.project, files);
  refuseBlocked(files);
  const server = plannedServer(setup, place, files);
  if (server === null || server.after === null) return files;
  refuseLeadingOut(place.project, [server]);
  refuseBlocked([server]);
  const at = files.findIndex((file) => file.path === server.path);
  return at === -1 ? [...files, server] : files.toSpliced(at, 1, server);
}

/** What is written for a repository is written inside of it: a clone may bring links to its user's own files. */
export function refuseLeadingOut(project: string | null, files: readonly Pick<PlannedFile, "path">[]): void {
  const out = files.find(({ path }) => leadsOut(path, project));
  if (out !== undefined)
    throw new OldhandError("refused", `${out.path} leads out of the repository ${project}`, {
      hint: "put a plain file in the place of the link, then install again; nothing was changed",
    });
}

/** A file where a folder should be is somebody's: it is named before anything is written. */
function refuseBlocked(files: readonly Pick<PlannedFile, "path">[]): void {
  for (const { path } of files) {
    let above = dirname(path);
    while (!existsSync(above)) above = dirname(above);
    if (!statSync(above).isDirectory())
      throw new OldhandError("input", `${above} is no folder, so ${path} cannot be written`, {
        hint: "move it away, then install again; nothing was changed",
      });
  }
}

export function leadsOut(path: string, project: string | null): boolean {
  return project !== null && isInside(path, project) && !isWithin(path, project);
}

/** By its name. Files of our own home, and those of a host's user, are named by nobody else. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`);
}

/** What its user can type. A repository gets none: what is typed is its user's own. One that its user wrote stays as it is. */
export function plannedCommands(setup: Setup, place: Place): readonly PlannedFile[] {
  if (place.project !== null || place.team === true) return [];
  return (setup.commands?.(place) ?? []).map(({ path, text, typed }) => {
    const before = hostText(path);
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

/** Null where the host has no such file. What cannot be read is left as it is, with null for what it should be. */
export function plannedServer(setup: Setup, place: Place, files: readonly PlannedFile[] = []): PlannedFile | null {
  // A server is named by its path on this machine: not for files that a team shares.
  const path = place.team === true ? null : (setup.mcp?.path(place) ?? null);
  if (setup.mcp === undefined || path === null) return null;
  const shared = files.find((file) => file.path === path);
  const before = shared === undefined ? hostText(path) : shared.before;
  const after = setup.mcp.with(shared?.after ?? before ?? "", place);
  const why = "oldhand among its MCP servers";
  return { path, before, after, why: shared === undefined ? why : `${shared.why}; ${why}`, way: "mcp" };
}

/** The server where an earlier install of ours wrote one that is not as it should be; null where it is, or never was. */
export function staleServer(setup: Setup, place: Place, files: readonly PlannedFile[] = []): PlannedFile | null {
  const server = plannedServer(setup, place, files);
  if (server === null || server.before === null || server.after === null || server.before === server.after) return null;
  const others = setup.mcp?.without(server.before) ?? null;
  return others === null || sameJson(others, server.before) ? null : server;
}

/** A file's text without anything of ours. Null: it cannot be read. */
export function withoutOurs(setup: Setup, text: string): string | null {
  const told = setup.without?.(text) ?? null;
  // Where nothing was ours in it, it stays as its owner wrote it.
  const rest = told !== null && sameJson(told, text) ? text : told;
  return setup.mcp === undefined ? rest : (setup.mcp.without(rest ?? text) ?? rest);
}

function sameJson(a: string, b: string): boolean {
  return stableJson(tryParse(a) ?? a) === stableJson(tryParse(b) ?? b);
}
