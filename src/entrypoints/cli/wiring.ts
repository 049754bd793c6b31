import { homeOf, thisMachine } from "../../config.ts";
import type { Finding, Host, Place } from "../../observe/host.ts";
import { hosts } from "../../observe/hosts/list.ts";
import { type Heard, placeOf, wiredTo } from "../../observe/wired.ts";

export function placeFor(host: Host, whom: Pick<Place, "project" | "team">, home = homeOf()): Place {
  return placeOf(host, thisMachine(), { ...whom, home });
}

/** Which hosts are here, and whether their hooks point to a program that exists. */
export async function wiring(home: string, heard?: (host: string) => Heard): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const host of hosts)
    findings.push(...(await wiredTo(host, placeFor(host, { project: null }, home), heard?.(host.name))).findings);
  return findings;
}
