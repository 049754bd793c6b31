import { existsSync } from "node:fs";
import { homeOf, thisMachine } from "../../config.ts";
import { lastBeat } from "../../lib/heartbeat.ts";
import type { Finding, Host, Place } from "../../observe/protocol/host.ts";
import { hosts } from "../../observe/hosts/list.ts";
import { type Heard, placeOf, type Wired, wiredTo } from "../../observe/installed/wired.ts";
import { wiredTwice } from "../../observe/installed/wired-twice.ts";
import { readReceipts, type Whom } from "./receipts.ts";

export function placeFor(host: Host, whom: Whom, home = homeOf()): Place {
  return placeOf(host, thisMachine(), { ...whom, home });
}

/** One host in one place: for its user everywhere, or in a repository that was wired from here. */
export interface Wiring {
  readonly host: Host;
  readonly place: Place;
  readonly wired: Wired;
}

/** Which hosts are here, whether their hooks are as they should be, and whether they fired. */
export async function wirings(home: string, heard?: Omit<Heard, "lastAt">): Promise<readonly Wiring[]> {
  const all: Wiring[] = [];
  const receipts = readReceipts(home);
  for (const host of hosts) {
    const mine = receipts.filter((receipt) => receipt.host === host.name);
    const fired = heard === undefined ? undefined : { ...heard, lastAt: lastBeat(home, host.name) };
    const user = placeFor(host, { project: null }, home);
    // Whoever wired one repository only wants no hooks everywhere.
    if (mine.length === 0 || mine.some((receipt) => (receipt.project ?? null) === null))
      all.push({ host, place: user, wired: await wiredTo(host, user, fired) });
    const projects = new Map(mine.flatMap(({ project, team }) => (project ? [[project, team === true] as const] : [])));
    for (const [project, team] of projects) {
      const place = placeFor(host, { project, team }, home);
      if (existsSync(project)) all.push({ host, place, wired: inProject(project, await wiredTo(host, place)) });
    }
  }
  return all;
}

export async function wiringFindings(home: string, heard?: Omit<Heard, "lastAt">): Promise<readonly Finding[]> {
  const all = await wirings(home, heard);
  const findings = all.flatMap(({ wired }) => wired.findings);
  for (const host of new Set(all.filter(({ wired }) => wired.found).map((one) => one.host))) {
    const projects = all.flatMap((one) => (one.host === host && one.place.project !== null ? [one.place.project] : []));
    findings.push(...(await wiredTwice(host, placeFor(host, { project: null }, home), projects)));
  }
  return findings;
}

/** The same finding of a host in two places must be told apart. */
function inProject(project: string, wired: Wired): Wired {
  const findings = wired.findings
    .filter((finding) => finding.about !== "shadowed")
    .map((finding) => ({ ...finding, what: `${finding.what} (in ${project})` }));
  return { ...wired, findings };
}
