import { existsSync } from "node:fs";
import { join } from "node:path";
import { homeOf } from "../config.ts";
import { DAY } from "../lib/clock.ts";
import { packageRoot } from "../lib/package-root.ts";
import { type Finding, type Host, type Place, type Setup, type Way, ways } from "./host.ts";
import { hosts } from "./hosts/list.ts";
import { readsTranscripts } from "./no-transcripts.ts";
import { plannedServer } from "./plan.ts";

export type HostState = "watching" | "installed, never heard" | "silent" | "not installed" | "no hooks" | "not here";

/** How a host and this oldhand stand to each other. */
export interface Wired {
  readonly found: boolean;
  /** Our hooks are in place. A host without hooks has none. */
  readonly installed: boolean;
  readonly state: HostState;
  readonly ways: readonly WiredWay[];
  readonly findings: readonly Finding[];
}

/** One of the ways in which it can be joined to us; null where nothing has to be written for it on this machine. */
export interface WiredWay {
  readonly way: Way;
  readonly wired: boolean | null;
}

/** When it was last heard; null: never. Not given: the mind could not be asked. */
export interface Heard {
  readonly lastAt: number | null;
  readonly now: number;
}

/** Looks at the host's files; nothing is written. */
export async function wiredTo(host: Host, place: Place, heard?: Heard): Promise<Wired> {
  const setup = await host.setup();
  const joined = waysOf(setup, place);
  const found = setup.find(place) !== null;
  if (!found) return { found, installed: false, state: "not here", ways: joined, findings: [] };
  const heardBy = joined.filter(({ way }) => way === "hooks" || way === "plugin");
  const installed = heardBy.length > 0 && heardBy.every(({ wired }) => wired === true);
  const state = heardBy.length === 0 ? "no hooks" : stateOf(installed, heard);
  const program = place.command[1] ?? "";
  return {
    found,
    installed,
    state,
    ways: joined,
    findings: [
      ...(existsSync(program)
        ? []
        : [{ level: "problem", what: `${host.title}: ${program} is not there`, hint: "npm run build" } as const]),
      heardBy.length === 0 ? deaf(host, joined) : wiringFinding(host, installed),
      ...serverFindings(host, setup, place),
      ...quietFindings(host, state),
      ...unverified(host),
      ...(setup.findings?.(place) ?? []),
    ],
  };
}

/** By which ways a host can be joined to us, and which of them it is. */
function waysOf(setup: Setup, place: Place): readonly WiredWay[] {
  const files = setup.plan(place);
  const server = plannedServer(setup, place);
  const told = [...files.map((file) => ({ ...file, way: file.way ?? "hooks" })), ...(server === null ? [] : [server])];
  return ways.flatMap((way): readonly WiredWay[] => {
    const mine = told.filter((file) => file.way === way);
    if (mine.length > 0) return [{ way, wired: mine.every((file) => file.before === file.after) }];
    if (way === "rules file" && setup.rulesFiles !== undefined) return [{ way, wired: null }];
    return way === "transcripts" && readsTranscripts(setup) ? [{ way, wired: null }] : [];
  });
}

/** Asked for by name, and there was nothing to write: what there is instead. */
export function unwired(names: readonly string[], written: ReadonlySet<string>): readonly Finding[] {
  return hosts
    .filter((host) => names.includes(host.name) && !written.has(host.name))
    .map((host) => ({
      level: "note",
      what: `${host.title}: there is nothing to install, neither hooks nor a file for MCP servers`,
      hint: `oldhand export --host ${host.name} --write puts the rules where it reads them`,
    }));
}

/** Told wherever such a host is wired: what was never run may not work. */
export function unverified(host: Host): readonly Finding[] {
  return host.verified
    ? []
    : [{ level: "note", what: `${host.title} is unverified: written from its documentation`, hint: null }];
}

/** The command a hook runs: this very program by its whole path, never through npx, which costs ten times as much. */
export function placeOf(
  host: Pick<Host, "name">,
  machine: Pick<Place, "userHome" | "env" | "platform">,
  where: { readonly home: string; readonly project: string | null },
): Place {
  const program = join(packageRoot(), "dist", "oldhand.cjs");
  // A hook runs in its host's environment, where the choice of another home may not be known.
  const elsewhere = where.home === homeOf({ env: {} }) ? [] : ["--home", where.home];
  return { ...machine, ...where, command: [process.execPath, program, "hook", host.name, ...elsewhere] };
}

const SILENT_AFTER = 7 * DAY;

export function stateOf(installed: boolean, heard: Heard | undefined): HostState {
  if (!installed) return "not installed";
  if (heard === undefined) return "watching";
  if (heard.lastAt === null) return "installed, never heard";
  return heard.now - heard.lastAt > SILENT_AFTER ? "silent" : "watching";
}

function wiringFinding(host: Host, installed: boolean): Finding {
  return installed
    ? { level: "ok", what: `${host.title}: hooks are in place`, hint: null }
    : {
        level: "note",
        what: `${host.title} is here, but its hooks are not (or point to another oldhand)`,
        hint: `oldhand install ${host.name}`,
      };
}

/** What there is instead of hooks. */
function deaf(host: Host, joined: readonly WiredWay[]): Finding {
  const has = (way: Way) => joined.some((one) => one.way === way);
  const instead = [
    ...(has("rules file") ? ["its rules come from `oldhand export`"] : []),
    ...(has("transcripts") ? ["its sessions from `oldhand import`"] : []),
  ];
  return { level: "ok", what: `${host.title} has no hooks: ${instead.join(", ")}`, hint: null };
}

function serverFindings(host: Host, setup: Setup, place: Place): readonly Finding[] {
  const server = plannedServer(setup, place);
  if (server === null) return [];
  if (server.before === server.after)
    return [{ level: "ok", what: `${host.title}: oldhand is among its MCP servers`, hint: null }];
  return [
    server.after === null
      ? {
          level: "note",
          what: `${host.title}: ${server.path} is written in a way that is not touched here, so oldhand is not among its MCP servers`,
          hint: "docs/mcp.md says what to write there by hand",
        }
      : {
          level: "note",
          what: `${host.title}: oldhand is not among its MCP servers (or another one is)`,
          hint: `oldhand install ${host.name}`,
        },
  ];
}

function quietFindings(host: Host, state: HostState): readonly Finding[] {
  if (state === "installed, never heard")
    return [
      {
        level: "note",
        what: `${host.title}: nothing was ever heard from it`,
        hint: `start a new session in ${host.title}: one that was open before reads no new hooks`,
      },
    ];
  if (state === "silent")
    return [
      {
        level: "note",
        what: `${host.title}: nothing was heard from it for more than a week`,
        hint: `if it was used since, oldhand install ${host.name} puts the hooks in again`,
      },
    ];
  return [];
}
