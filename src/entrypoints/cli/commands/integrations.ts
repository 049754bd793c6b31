import { existsSync } from "node:fs";
import { resolveHome, thisMachine } from "../../../config.ts";
import { readLastHeartbeat } from "../../../lib/heartbeat.ts";
import type { Finding, Host, InstallTarget } from "../../../observe/protocol/host.ts";
import { hosts } from "../../../observe/hosts/list.ts";
import {
  type HookHeartbeat,
  buildInstallTarget,
  type Integration,
  inspectIntegration,
} from "../../../observe/installed/integration.ts";
import { findDuplicateHooks } from "../../../observe/installed/duplicate-hooks.ts";
import { readReceipts, type InstallScope } from "./receipts.ts";

export function newInstallTarget(host: Host, whom: InstallScope, home = resolveHome()): InstallTarget {
  return buildInstallTarget(host, thisMachine(), { ...whom, home });
}

/** One host in one place: for the user everywhere, or in a repository that was wired from here. */
export interface HostIntegration {
  readonly host: Host;
  readonly target: InstallTarget;
  readonly integration: Integration;
}

/** For each host: whether it is installed, whether its hooks are in order, and whether they have run. */
export async function listIntegrations(
  home: string,
  heartbeat?: Omit<HookHeartbeat, "lastAt">,
): Promise<readonly HostIntegration[]> {
  const all: HostIntegration[] = [];
  const receipts = readReceipts(home);
  for (const host of hosts) {
    const mine = receipts.filter((receipt) => receipt.host === host.name);
    const fired = heartbeat === undefined ? undefined : { ...heartbeat, lastAt: readLastHeartbeat(home, host.name) };
    const user = newInstallTarget(host, { project: null }, home);
    // A user who wired only one repository wants no hooks everywhere.
    if (mine.length === 0 || mine.some((receipt) => (receipt.project ?? null) === null))
      all.push({ host, target: user, integration: await inspectIntegration(host, user, fired) });
    const projects = new Map(mine.flatMap(({ project, team }) => (project ? [[project, team === true] as const] : [])));
    for (const [project, team] of projects) {
      const target = newInstallTarget(host, { project, team }, home);
      if (existsSync(project))
        all.push({ host, target, integration: prefixProject(project, await inspectIntegration(host, target)) });
    }
  }
  return all;
}

export async function listIntegrationFindings(
  home: string,
  heartbeat?: Omit<HookHeartbeat, "lastAt">,
): Promise<readonly Finding[]> {
  const all = await listIntegrations(home, heartbeat);
  const findings = all.flatMap(({ integration: wired }) => wired.findings);
  for (const host of new Set(all.filter(({ integration: wired }) => wired.found).map((one) => one.host))) {
    const projects = all.flatMap((one) =>
      one.host === host && one.target.project !== null ? [one.target.project] : [],
    );
    findings.push(...(await findDuplicateHooks(host, newInstallTarget(host, { project: null }, home), projects)));
  }
  return findings;
}

/** Adds the project, to distinguish the same finding in two places. */
function prefixProject(project: string, wired: Integration): Integration {
  const findings = wired.findings
    .filter((finding) => finding.about !== "shadowed")
    .map((finding) => ({ ...finding, what: `${finding.what} (in ${project})` }));
  return { ...wired, findings };
}
