import { existsSync } from "node:fs";
import { join } from "node:path";
import { resolveHome } from "../../config.ts";
import { DAY } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { plural } from "../../lib/text.ts";
import { findHookEntries, findMissingProgram } from "../wiring/entries.ts";
import {
  type Finding,
  type Host,
  type InstallTarget,
  type PlannedFile,
  type Setup,
  type IntegrationWay,
  integrationWays,
} from "../protocol/host.ts";
import { hosts } from "../hosts/list.ts";
import { canReadTranscripts } from "../transcripts/no-transcripts.ts";
import { planCommandFiles, planServerFile, findStaleServer } from "../wiring/plan.ts";

export type HostState = "watching" | "installed, never heard" | "silent" | "not installed" | "no hooks" | "not here";

/** How a host is connected to this oldhand. */
export interface Integration {
  readonly found: boolean;
  /** True if our hooks are in place; false for a host without hooks. */
  readonly installed: boolean;
  readonly state: HostState;
  readonly ways: readonly IntegrationWayState[];
  readonly findings: readonly Finding[];
}

/** One way of connecting; `wired` is null if nothing has to be written for it on this machine. */
export interface IntegrationWayState {
  readonly way: IntegrationWay;
  readonly wired: boolean | null;
}

/** When a hook of the host last ran; null if never. Absent if that is unknown. */
export interface HookHeartbeat {
  readonly lastAt: number | null;
  readonly now: number;
  readonly silentDays: number;
}

/** Inspects the host's files; writes nothing. */
export async function inspectIntegration(
  host: Host,
  target: InstallTarget,
  heartbeat?: HookHeartbeat,
): Promise<Integration> {
  const setup = await host.setup();
  // A repository may be wired for a host that is on another machine.
  const found = target.project !== null || setup.detect(target) !== null;
  const files = planOrFinding(setup, target);
  if (!Array.isArray(files)) return { found, installed: false, state: "not installed", ways: [], findings: [files] };
  const joined = listWayStates(setup, target, files);
  if (!found) return { found, installed: false, state: "not here", ways: joined, findings: [] };
  const hookWays = joined.filter(({ way }) => way === "hooks" || way === "plugin");
  const installed = hookWays.length > 0 && hookWays.every(({ wired }) => wired === true);
  const state = hookWays.length === 0 ? "no hooks" : computeHostState(installed, heartbeat);
  const own = setup.findings?.(target) ?? [];
  return {
    found,
    installed,
    state,
    ways: joined,
    findings: [
      ...programFindings(host, target),
      ...(hookWays.length > 0 ? [hookFinding(host, files)] : own.length > 0 ? [] : [noHooksFinding(host, joined)]),
      ...serverFindings(host, setup, target),
      ...commandFindings(host, setup, target),
      ...silentHookFindings(host, state, heartbeat),
      ...unverifiedFindings(host),
      ...own,
    ],
  };
}

/** The ways in which a host can be connected, and which of them are in place. */
function listWayStates(
  setup: Setup,
  target: InstallTarget,
  files: readonly PlannedFile[],
): readonly IntegrationWayState[] {
  const server = planServerFile(setup, target);
  const planned = [
    ...files.map((file) => ({ ...file, way: file.way ?? "hooks" })),
    ...planCommandFiles(setup, target),
    ...(server === null ? [] : [server]),
  ];
  return integrationWays.flatMap((way): readonly IntegrationWayState[] => {
    const mine = planned.filter((file) => file.way === way);
    if (mine.length > 0) return [{ way, wired: mine.every((file) => file.before === file.after) }];
    if (way === "rules file" && setup.rulesFiles !== undefined) return [{ way, wired: null }];
    return way === "transcripts" && canReadTranscripts(setup) ? [{ way, wired: null }] : [];
  });
}

/** For hosts that were named, but have nothing to install: what to use instead. */
export function nothingToInstallFindings(names: readonly string[], written: ReadonlySet<string>): readonly Finding[] {
  return hosts
    .filter((host) => names.includes(host.name) && !written.has(host.name))
    .map((host) => ({
      level: "note",
      what: `${host.title}: nothing to install: it has no hooks and no file for MCP servers`,
      hint: `oldhand export --host ${host.name} --write writes the rules to the file that it reads`,
    }));
}

/** Shown wherever such a host is wired, because untested code may not work. */
export function unverifiedFindings(host: Host): readonly Finding[] {
  return host.verified
    ? []
    : [{ level: "note", what: `${host.title} is unverified: written from its documentation`, hint: null }];
}

/** The target of an install. Its hook command is this program's full path, not npx, which takes ten times as long. */
export function buildInstallTarget(
  host: Pick<Host, "name">,
  machine: Pick<InstallTarget, "userHome" | "env" | "platform" | "near">,
  where: Pick<InstallTarget, "home" | "project" | "team">,
): InstallTarget {
  // For a team: oldhand is found on each member's PATH and uses that member's own home.
  if (where.team === true) return { ...machine, ...where, command: ["oldhand", "hook", host.name, "--team"] };
  const program = join(packageRoot(), "dist", "oldhand.cjs");
  // A hook runs in the host's environment, where OLDHAND_HOME may not be set.
  const elsewhere = where.home === resolveHome({ env: {} }) ? [] : ["--home", where.home];
  return { ...machine, ...where, command: [process.execPath, program, "hook", host.name, ...elsewhere] };
}

export function computeHostState(installed: boolean, heartbeat: HookHeartbeat | undefined): HostState {
  if (!installed) return "not installed";
  if (heartbeat === undefined) return "watching";
  if (heartbeat.lastAt === null) return "installed, never heard";
  return heartbeat.now - heartbeat.lastAt > heartbeat.silentDays * DAY ? "silent" : "watching";
}

/** An unreadable file becomes one finding of this host, so that the other hosts are still inspected. */
function planOrFinding(setup: Setup, target: InstallTarget): PlannedFile[] | Finding {
  try {
    return [...setup.plan(target)];
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    return { level: "problem", about: "missing", what: error.message, hint: error.hint ?? null };
  }
}

/** What to use instead of hooks. */
function noHooksFinding(host: Host, joined: readonly IntegrationWayState[]): Finding {
  const has = (way: IntegrationWay) => joined.some((one) => one.way === way);
  const instead = [
    ...(has("rules file") ? ["its rules come from `oldhand export`"] : []),
    ...(has("transcripts") ? ["its sessions from `oldhand import`"] : []),
  ];
  return { level: "ok", what: `${host.title} has no hooks: ${instead.join(", ")}`, hint: null };
}

/** A server with our name that somebody else wrote; reported wherever ours would be written. */
export function takenNameFindings(host: Host, setup: Setup, target: InstallTarget): readonly Finding[] {
  const server = planServerFile(setup, target);
  if (server === null || setup.mcp?.isTaken(server.before ?? "") !== true) return [];
  return [
    {
      level: "note",
      what: `${host.title}: ${server.path} has an MCP server named oldhand that oldhand did not write; it was not changed`,
      hint: `to use oldhand's, rename or remove that server, then: oldhand install ${host.name}`,
    },
  ];
}

function serverFindings(host: Host, setup: Setup, target: InstallTarget): readonly Finding[] {
  const server = planServerFile(setup, target);
  if (server === null) return [];
  const taken = takenNameFindings(host, setup, target);
  if (taken.length > 0) return taken;
  if (server.before === server.after)
    return [{ level: "ok", what: `${host.title}: oldhand is one of its MCP servers`, hint: null }];
  if (findStaleServer(setup, target) !== null)
    return [
      {
        level: "note",
        what: `${host.title}: the server in ${server.path} belongs to another oldhand version, or was changed`,
        hint: `oldhand install ${host.name}, or oldhand doctor --fix`,
      },
    ];
  return [
    server.after === null
      ? {
          level: "note",
          what: `${host.title}: ${server.path} has a format that oldhand does not edit, so oldhand is not one of its MCP servers`,
          hint: "docs/mcp.md shows what to add by hand",
        }
      : {
          level: "note",
          what: `${host.title}: oldhand is not one of its MCP servers, or another oldhand is`,
          hint: `oldhand install ${host.name}`,
        },
  ];
}

/** Commands that were never written are not reported: the finding about missing hooks is enough. */
function commandFindings(host: Host, setup: Setup, target: InstallTarget): readonly Finding[] {
  const files = planCommandFiles(setup, target);
  const different = files.filter((file) => file.before !== file.after);
  const typed = (setup.commands?.(target) ?? []).flatMap((file) => file.typed ?? []).join(", ");
  if (files.every((file) => file.before === null)) return [];
  if (different.length === 0) return [{ level: "ok", what: `${host.title}: you can type ${typed}`, hint: null }];
  const names = different.map((file) => file.path).join(", ");
  return [
    {
      level: "note",
      about: "stale",
      what: `${host.title}: ${plural(different.length, "file")} of its commands ${different.length === 1 ? "is" : "are"} missing, or written by another version of oldhand: ${names}`,
      hint: `oldhand install ${host.name}, or oldhand doctor --fix`,
    },
  ];
}

function programFindings(host: Host, target: InstallTarget): readonly Finding[] {
  const program = target.command[1] ?? "";
  if (target.team === true || existsSync(program)) return [];
  return [{ level: "problem", what: `${host.title}: ${program} does not exist`, hint: "npm run build" }];
}

function hookFinding(host: Host, files: readonly PlannedFile[]): Finding {
  const hint = `oldhand install ${host.name}`;
  const different = files.filter((file) => file.before !== file.after);
  if (different.length === 0) return { level: "ok", what: `${host.title}: hooks are in place`, hint: null };
  const there = files.flatMap(({ path, before }) => (before === null ? [] : [{ path, text: before }]));
  const entries = findHookEntries(host.name, there);
  if (entries.length === 0)
    return {
      level: "note",
      about: "missing",
      what: `${host.title} is on this machine, but its hooks are not installed`,
      hint,
    };
  const gone = entries.map(findMissingProgram).find((path) => path !== null);
  if (gone !== undefined && gone !== null) {
    const what = `${host.title}: its hooks point to ${gone}, which no longer exists, so no events arrive`;
    return { level: "problem", about: "stale", what, hint: `${hint}, or oldhand doctor --fix` };
  }
  const names = different.map((file) => file.path).join(", ");
  const what = `${host.title}: ${plural(different.length, "file")} of its hooks ${different.length === 1 ? "is" : "are"} from another oldhand version, or changed: ${names}`;
  return { level: "note", about: "stale", what, hint: `${hint}, or oldhand doctor --fix` };
}

function silentHookFindings(host: Host, state: HostState, heartbeat: HookHeartbeat | undefined): readonly Finding[] {
  if (state === "installed, never heard")
    return [
      {
        level: "note",
        about: "never fired",
        what: `${host.title}: its hooks have never fired`,
        hint: `start a new session in ${host.title}: sessions that are already open do not read new hooks`,
      },
    ];
  if (state === "silent")
    return [
      {
        level: "note",
        about: "silent",
        what: `${host.title}: its hooks have not fired for more than ${plural(heartbeat?.silentDays ?? 0, "day")}`,
        hint: `if you used it since, run oldhand install ${host.name} to install the hooks again`,
      },
    ];
  return [];
}
