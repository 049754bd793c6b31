import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { removeLeftMountPoints } from "../../../converse/tools/shell/mount-points.ts";
import { resolveHome, loadConfig, removeRetired } from "../../../config.ts";
import { iso, systemClock } from "../../../lib/clock.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { makeFolder } from "../../../lib/make-folder.ts";
import { plural } from "../../../lib/text.ts";
import { openContext, type OpenMind, homePaths } from "../../../mind.ts";
import type { InstallTarget, PlannedFile, Setup } from "../../../observe/protocol/host.ts";
import { countSpooledFiles } from "../../../observe/spool.ts";
import { planCommandFiles, findStaleServer } from "../../../observe/wiring/plan.ts";
import { areCallsReadByOlderLaws, rereadCalls } from "../../../store/derived/reread-calls.ts";
import { digest, findDerivedFaults, repairDerived } from "../../../store/derived/digest.ts";
import { openQueue } from "../../../store/open-queue.ts";
import { hasClaims } from "../../../store/queue/make-queue.ts";
import { scrubForgotten, readPendingScrub } from "../../../store/state/scrub-forgotten.ts";
import { clearLeases } from "../../../store/state/leases.ts";
import { isIndexFault } from "./doctor.ts";
import { writeWithReceipt } from "./receipts.ts";
import { runSelfTest } from "./self-test.ts";
import { type HostIntegration, listIntegrations } from "./integrations.ts";

/**
 * Repairs what can be repaired without losing data, and returns a line for each repair. `runDoctorChecks` reports the
 * rest afterwards.
 */
export async function fixProblems(chosen: string | undefined): Promise<readonly string[]> {
  const home = resolveHome({ home: chosen });
  return [
    ...mendHome(home),
    ...(await runMend(async () => mendSettings(home))),
    ...(await runMend(async () => mendMind(home))),
    ...(await runMend(async () => mendIntegrations(home))),
  ];
}

function mendHome(home: string): readonly string[] {
  if (!existsSync(home)) return [];
  const done: string[] = [];
  if (process.platform !== "win32" && (statSync(home).mode & 0o077) !== 0) {
    chmodSync(home, 0o700);
    done.push(`removed other users' access to ${home}`);
  }
  // Left by a process that was killed between writing the file and renaming it.
  for (const name of readdirSync(home).filter((one) => /^config\.json\.\d+\.new$/.test(one))) {
    rmSync(join(home, name), { force: true });
    done.push(`removed the unfinished file ${name}`);
  }
  const folders = removeLeftMountPoints(home);
  if (folders.length > 0)
    done.push(`removed ${plural(folders.length, "empty folder")} that a killed command left: ${folders.join(", ")}`);
  return done;
}

function mendSettings(home: string): readonly string[] {
  if (loadConfig({ home }).fileFault !== null) return [];
  return removeRetired(home).map((path) => `removed the setting ${path}, which nothing reads`);
}

/** Opening the mind stores what is in the spool. */
async function mendMind(home: string): Promise<readonly string[]> {
  const waiting = countSpooledFiles(home);
  const mind = await openContext({ home });
  try {
    const brought = waiting - countSpooledFiles(home);
    return [
      ...(brought > 0 ? [`stored ${plural(brought, "hook payload")} from the spool`] : []),
      ...(await mendIndexes(mind)),
      ...(await mendDerived(mind)),
      ...(await mendHolds(mind)),
      ...(await finishForgetting(mind)),
    ];
  } finally {
    await mind.close();
  }
}

async function mendIndexes(mind: OpenMind): Promise<readonly string[]> {
  const faults = (await mind.store.check()).filter((fault) => !/fts5|words/i.test(fault));
  if (!isIndexFault(faults)) return [];
  await (await mind.db.dialect.repair()).reindex(mind.db);
  return [`rebuilt the indexes: ${faults.length} did not match`];
}

async function mendDerived(mind: OpenMind): Promise<readonly string[]> {
  const isOld = await areCallsReadByOlderLaws(mind.db);
  const reread = isOld ? await rereadCalls(mind.db, { most: Infinity }) : 0;
  if (isOld) await digest(mind.db);
  const faults = await findDerivedFaults(mind.db);
  await repairDerived(mind.db, faults);
  const rows = faults.sessions.length;
  return [
    ...(isOld ? [`read the stored calls again by the current laws: ${plural(reread, "call")} ended otherwise`] : []),
    ...(faults.words === null ? [] : [`rebuilt the word index: ${faults.words}`]),
    ...(faults.counts === null ? [] : [`recomputed the stored counts: ${faults.counts}`]),
    ...(rows === 0 ? [] : [`rebuilt the rows of ${plural(rows, "session")}`]),
  ];
}

async function finishForgetting(mind: OpenMind): Promise<readonly string[]> {
  if ((await readPendingScrub(mind.db)) === null) return [];
  const waits = await scrubForgotten(mind.db);
  return [
    waits === null
      ? "removed forgotten data from the store's files"
      : `could not remove forgotten data from the store's files: ${waits}`,
  ];
}

async function mendHolds(mind: OpenMind): Promise<readonly string[]> {
  const now = mind.clock.now();
  const leases = await clearLeases(mind.db, now);
  const claims = (await hasClaims(mind.db)) ? await recoverWork(mind) : 0;
  return [
    ...(leases > 0 ? [`released ${plural(leases, "expired lease")}`] : []),
    ...(claims > 0 ? [`put ${plural(claims, "piece")} of work back whose worker is gone`] : []),
  ];
}

async function recoverWork(mind: OpenMind): Promise<number> {
  const queue = await openQueue(mind.store, { queues: [], clock: mind.clock });
  try {
    return await queue.recover();
  } finally {
    await queue.close();
  }
}

/** Only what was wired before. If hooks are missing altogether, the user did not install them. */
async function mendIntegrations(home: string): Promise<readonly string[]> {
  const done: string[] = [];
  for (const wiring of await listIntegrations(home)) {
    const troubles = wiring.integration.findings.map((finding) => finding.about);
    // What the user switched off stays off.
    const isStale = troubles.includes("stale") || findStaleServer(await wiring.host.setup(), wiring.target) !== null;
    if (!isStale || troubles.includes("shadowed")) continue;
    done.push(...(await rewriteFiles(home, wiring)));
  }
  return done;
}

async function rewriteFiles(home: string, { host, target }: HostIntegration): Promise<readonly string[]> {
  const done: string[] = [];
  const setup = await host.setup();
  const kept = join(homePaths(home).backups, "wiring", iso(systemClock.now()).replaceAll(":", "-"));
  for (const file of listFilesToRewrite(setup, target)) {
    if (file.after === null || file.before === file.after) continue;
    if (file.before !== null) {
      makeFolder(kept, 0o700);
      copyFileSync(file.path, join(kept, `${host.name}-${basename(file.path)}`));
    }
    await writeWithReceipt(home, host.name, { ...file, after: file.after }, target);
    const copy = file.before === null ? "" : `; a copy of the old file is in ${kept}`;
    done.push(`${host.title}: rewrote ${file.path}${copy}`);
  }
  const { findings } = await runSelfTest(host, target);
  return [...done, ...findings.map(({ what, hint }) => (hint === null ? what : `${what} (${hint})`))];
}

/** The hook files; command files and the server entry only if they were installed before. */
function listFilesToRewrite(setup: Setup, target: InstallTarget): readonly PlannedFile[] {
  const commands = planCommandFiles(setup, target);
  const files = [...setup.plan(target), ...(commands.some((file) => file.before !== null) ? commands : [])];
  const server = findStaleServer(setup, target, files);
  return server === null ? files : [...files.filter((file) => file.path !== server.path), server];
}

/** If one repair fails, the others still run. */
async function runMend(mend: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await mend();
  } catch (error) {
    if (error instanceof OldhandError)
      return [`could not fix: ${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}`];
    throw error;
  }
}
