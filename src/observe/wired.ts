import { existsSync } from "node:fs";
import { join } from "node:path";
import { homeOf } from "../config.ts";
import { DAY } from "../lib/clock.ts";
import { packageRoot } from "../lib/package-root.ts";
import type { Finding, Host, Place } from "./host.ts";

export type HostState = "watching" | "installed, never heard" | "silent" | "not installed" | "not here";

/** How a host and this oldhand stand to each other. */
export interface Wired {
  readonly found: boolean;
  readonly installed: boolean;
  readonly state: HostState;
  readonly findings: readonly Finding[];
}

/** When it was last heard; null: never. Not given: the mind could not be asked. */
export interface Heard {
  readonly lastAt: number | null;
  readonly now: number;
}

/** Looks at the host's files; nothing is written. */
export async function wiredTo(host: Host, place: Place, heard?: Heard): Promise<Wired> {
  const setup = await host.setup();
  if (!setup.find(place)) return { found: false, installed: false, state: "not here", findings: [] };
  const installed = setup.plan(place).every((file) => file.before === file.after);
  const state = stateOf(installed, heard);
  const program = place.command[1] ?? "";
  return {
    found: true,
    installed,
    state,
    findings: [
      ...(existsSync(program)
        ? []
        : [{ level: "problem", what: `${host.title}: ${program} is not there`, hint: "npm run build" } as const]),
      wiringFinding(host, installed),
      ...quietFindings(host, state),
      ...unverified(host),
      ...(setup.findings?.(place) ?? []),
    ],
  };
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
  where: Pick<Place, "home" | "project" | "team">,
): Place {
  // Found on the PATH of whoever works there, and in that person's own home.
  if (where.team === true) return { ...machine, ...where, command: ["oldhand", "hook", host.name, "--team"] };
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
