import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { listHostsWithoutAsk } from "../../../attend/hosts-without-ask.ts";
import { summariseUnreached } from "../../../attend/unreached-text.ts";
import { type Config, resolveHome, isOff, loadConfig, thisMachine } from "../../../config.ts";
import { findLocalZoneFault } from "../../../lib/local-zone.ts";
import type { Context } from "../../../context.ts";
import type { Delivery } from "../../../domain/rule/delivery/delivery.ts";
import { describeUnknownParts, unknownParts } from "../../../domain/rule/matching/matcher.ts";
import { isSpeaking, isActive } from "../../../domain/rule/rule.ts";
import { iso, systemClock } from "../../../lib/clock.ts";
import { OldhandError, errorMessage } from "../../../lib/errors.ts";
import { readLastHeartbeat } from "../../../lib/heartbeat.ts";
import { lostCount } from "../../../lib/lost.ts";
import { plural } from "../../../lib/text.ts";
import { openContext } from "../../../mind.ts";
import { readOverrides } from "../../../models/prices/override.ts";
import type { Finding } from "../../../observe/protocol/host.ts";
import { countSpooledFiles } from "../../../observe/spool.ts";
import type { Db } from "../../../store/engine/db.ts";
import { areCallsReadByOlderLaws } from "../../../store/derived/reread-calls.ts";
import { findDerivedFaults, digest } from "../../../store/derived/digest.ts";
import { readPendingScrub } from "../../../store/state/scrub-forgotten.ts";
import { findDisagreements } from "../../../store/journal/journal.ts";
import { explainRetired } from "../../../domain/model/retired-model.ts";
import { listFailingProviders } from "../../../models/gateway/list-failing-providers.ts";
import { listRetiredHere } from "../../../models/gateway/note-retired.ts";
import { listRules } from "../../../store/nouns/rules.ts";
import { listHostsSeen } from "../../../store/sessions/sessions.ts";
import { findMissingTables } from "../../../store/state/tables.ts";
import { version } from "../../../version.ts";
import { findNoWorker } from "../../../work/jobs/find-no-worker.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";
import { describeReach } from "../parts/server-reach.ts";
import { settingsFindings } from "../parts/settings-warning.ts";
import { listSandboxFindings } from "./doctor-sandbox.ts";
import { listIntegrationFindings } from "./integrations.ts";

export const doctorCommand: CliCommand = {
  name: "doctor",
  summary: "Checks the home, settings, database, journal, hooks and sandbox.",
  usage: "doctor [--fix]",
  words: 0,
  flags: [newFlag("fix", "boolean", "repair what can be repaired, and show what was done")],
  isOwnerOnly: (_globals, { fix }) => fix === true,
  run: async (_words, values, globals) => {
    const fixed = values["fix"] === true ? await (await import("./doctor-fix.ts")).fixProblems(globals.home) : [];
    const findings = await runDoctorChecks(globals.home);
    const problems = findings.filter((finding) => finding.level === "problem").length;
    if (globals.json)
      process.stdout.write(`${JSON.stringify({ findings, problems, ...(values["fix"] === true ? { fixed } : {}) })}\n`);
    else {
      for (const done of fixed) process.stdout.write(`→ ${done}\n`);
      if (values["fix"] === true && fixed.length === 0) process.stdout.write("→ there was nothing to fix\n");
      for (const finding of findings)
        process.stdout.write(
          `${marks[finding.level]} ${finding.what}${finding.hint === null ? "" : `\n    ${finding.hint}`}\n`,
        );
      process.stdout.write(problems === 0 ? "No problems found.\n" : `${plural(problems, "problem")} found.\n`);
    }
    return problems === 0 ? 0 : 1;
  },
};

const marks = { ok: "✓", note: "·", problem: "✗" } as const;

/** Runs every check, even if the first one fails. */
export async function runDoctorChecks(home: string | undefined): Promise<readonly Finding[]> {
  const findings: Finding[] = [okFinding(`oldhand ${version} on Node ${process.versions.node}`)];
  findings.push(...homeFindings(resolveHome({ home })));
  const config = loadConfig({ home });
  findings.push(...settingsFindings(config), ...zoneFindings());
  findings.push(...(await runCheck(async () => priceFindings(config))));
  // If it is unclear which database is meant, none is checked.
  if (config.isDatabaseKnown) findings.push(...(await runCheck(async () => mindFindings(home))));
  findings.push(...spoolFindings(resolveHome({ home })), ...unreachedFindings(resolveHome({ home })));
  findings.push(...(await runCheck(() => listSandboxFindings(home))));
  // Without the settings, the limit after which a host counts as silent is unknown.
  const heartbeat =
    config.fileFault === null ? { silentDays: config.policy.observe.silentDays, now: systemClock.now() } : undefined;
  findings.push(...(await runCheck(async () => listIntegrationFindings(resolveHome({ home }), heartbeat))));
  return findings;
}

/** Throws if the owner's price file cannot be used: then no model is called. */
function priceFindings({ home, policy }: Pick<Config, "home" | "policy">): readonly Finding[] {
  const { prices } = policy.models;
  if (prices === "") return [];
  readOverrides(resolve(home, prices));
  return [okFinding(`price file ${resolve(home, prices)}`)];
}

function zoneFindings(): readonly Finding[] {
  const fault = findLocalZoneFault(thisMachine().env["TZ"]);
  return fault === null ? [] : [problemFinding(`TZ: ${fault}; UTC is used`, "change the variable TZ, or unset it")];
}

function homeFindings(home: string): readonly Finding[] {
  try {
    accessSync(home, constants.R_OK | constants.W_OK);
    const open = process.platform !== "win32" && (statSync(home).mode & 0o077) !== 0;
    return [
      open ? problemFinding(`other users can read the home ${home}`, `chmod 700 ${home}`) : okFinding(`home ${home}`),
    ];
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return [
      missing
        ? { level: "note", what: `there is no home at ${home} yet`, hint: "it is created at first use" }
        : problemFinding(`the home ${home} cannot be used: ${errorMessage(error)}`, "choose another with --home"),
    ];
  }
}

async function mindFindings(home: string | undefined): Promise<readonly Finding[]> {
  const config = loadConfig({ home });
  const findings: Finding[] = [];
  if (config.off.everywhere)
    findings.push({ level: "note", what: "oldhand is off: hooks return at once", hint: "oldhand on" });
  else if (isOff(config.off, process.cwd()))
    findings.push({ level: "note", what: "oldhand is off in this folder", hint: "oldhand on --workspace ." });
  const mind = await openContext({ home });
  try {
    const faults = await mind.store.check();
    findings.push(
      faults.length === 0
        ? okFinding(`${mind.store.kind} store at ${mind.store.location}`)
        : problemFinding(
            `the database is damaged: ${faults.slice(0, 3).join("; ")}`,
            isIndexFault(faults)
              ? "oldhand doctor --fix rebuilds the indexes"
              : "oldhand restore FILE --write restores a backup",
          ),
    );
    findings.push(...(await reachFindings(mind.store)));
    const wrong = await findDisagreements(mind.db);
    findings.push(
      wrong.length === 0
        ? okFinding("journal and mind agree")
        : problemFinding(
            `journal and mind disagree: ${wrong.slice(0, 3).join("; ")}`,
            "restore an earlier backup, and report this",
          ),
    );
    for (const one of await listRetiredHere(mind.db, mind.config.providers))
      findings.push({
        level: "note",
        what: `the model ${one.id} is ${explainRetired(one)}`,
        hint: `oldhand models remove ${one.id}, if it is gone`,
      });
    for (const { text, needsOwner, leavesNone } of await listFailingProviders(mind)) {
      const [what, hint] = splitHint(text);
      findings.push({ level: needsOwner || leavesNone ? "problem" : "note", what, hint });
    }
    const missing = await findMissingTables(mind.db);
    if (missing.length > 0)
      findings.push(
        problemFinding(`tables are missing: ${missing.join(", ")}`, "oldhand restore FILE --write restores a backup"),
      );
    const queueFault = await (await mind.db.dialect.repair()).queueFault(mind.db);
    if (queueFault !== null) findings.push(problemFinding(queueFault.what, queueFault.hint));
    for (const text of await findNoWorker(mind)) findings.push(problemFinding(...splitHint(text)));
    findings.push(...(await derivedFindings(mind.db)));
    if ((await readPendingScrub(mind.db)) !== null)
      findings.push({
        level: "note",
        what: "bytes of forgotten data are still in the store's files",
        hint: "oldhand doctor --fix removes them when no other process reads the store",
      });
    for (const host of await listHostsSeen(mind.db))
      findings.push(
        okFinding(
          // Events can also come from an import, without a hook.
          readLastHeartbeat(config.home, host.host) === null
            ? `the newest stored event of ${host.host} is from ${iso(host.last_at)}`
            : `${host.host} was last heard at ${iso(host.last_at)}`,
        ),
      );
    findings.push(...(await askFindings(mind)), ...(await unclearFindings(mind.db)));
  } finally {
    await mind.close();
  }
  return findings;
}

/** The advice is after the colon. */
function splitHint(text: string): [what: string, hint: string] {
  const at = text.lastIndexOf(": ");
  return [text.slice(0, at), text.slice(at + 2)];
}

/**
 * On hosts that cannot ask, an `ask` rule is delivered differently. The owner should learn this here, not from a
 * refused call.
 */
async function askFindings(mind: Pick<Context, "db" | "config">): Promise<readonly Finding[]> {
  const asking = (await listRules(mind.db)).filter((rule) => rule.level === "ask" && isSpeaking(rule));
  if (asking.length === 0) return [];
  const own = asking.filter((rule) => rule.origin === "owner").length;
  const kinds = [
    { count: own, title: "your", origin: "owner" as const },
    { count: asking.length - own, title: "mined", origin: "tool" as const },
  ].filter(({ count }) => count > 0);
  return (await listHostsWithoutAsk(mind)).map(({ host, instead }) => {
    const ways = kinds.map(({ title, origin }) => `${title} \`ask\` rules ${insteadTexts[instead(origin)]}`);
    const hint = "`oldhand rules` shows this for each rule";
    return { level: "note", what: `${host} cannot ask its user. There ${ways.join("; ")}`, hint };
  });
}

/**
 * Rules from a newer oldhand, in a team's file or in this mind, whose matcher is not fully understood. The owner must
 * not rely on them.
 */
async function unclearFindings(db: Db): Promise<readonly Finding[]> {
  return (await listRules(db)).filter(isActive).flatMap((rule) => {
    const parts = rule.matcher === null ? [] : unknownParts(rule.matcher);
    if (parts.length === 0) return [];
    return [
      { level: "note", what: `rule ${rule.id}: ${describeUnknownParts(parts)}`, hint: `oldhand rules show ${rule.id}` },
    ];
  });
}

const insteadTexts: Readonly<Record<Delivery, string>> = {
  note: "are only shown as notes",
  hold: "hold the call once",
  ask: "ask",
  deny: "deny the call",
};

/** Derived data can be rebuilt from the events, so nothing is lost, but it is wrong until then. */
async function derivedFindings(db: Db): Promise<readonly Finding[]> {
  const faults = await findDerivedFaults(db);
  const findings: Finding[] = [];
  if (await areCallsReadByOlderLaws(db))
    findings.push({
      level: "note",
      what: "stored calls were read by an older version's laws of outcomes; they are read again bit by bit",
      hint: "oldhand doctor --fix reads them all now",
    });
  if (faults.words !== null) findings.push(problemFinding(`the word index is broken: ${faults.words}`, MEND));
  else await digest(db);
  if (faults.sessions.length > 0)
    findings.push(
      problemFinding(`${plural(faults.sessions.length, "session")} with events, but without a session row`, MEND),
    );
  if (faults.counts !== null) findings.push(problemFinding(`stored counts are wrong: ${faults.counts}`, MEND));
  return findings;
}

const MEND = "oldhand doctor --fix rebuilds it from the events";

/** Also reported if the mind cannot be opened: that is when payloads are spooled or lost. */
function spoolFindings(home: string): readonly Finding[] {
  const findings: Finding[] = [];
  const waiting = countSpooledFiles(home);
  if (waiting > 0)
    findings.push({
      level: "note",
      what: `${plural(waiting, "hook payload waits", "hook payloads wait")} to be stored`,
      hint: "the next command that opens the mind stores them",
    });
  const lost = lostCount(home);
  // An empty count file: the disk had room for its name only.
  if (existsSync(join(home, "lost")))
    findings.push({
      level: "note",
      what: `${lost > 0 ? plural(lost, "hook payload") : "an unknown number of hook payloads"} could not be stored or spooled and are lost`,
      hint: `remove ${join(home, "lost")} to reset the count`,
    });
  return findings;
}

/** Whether hooks are in time, if the store is a server. */
async function reachFindings(store: Context["store"]): Promise<readonly Finding[]> {
  const reach = await store.measureReach();
  if (reach === null) return [];
  const { inTime, text, hint } = describeReach(reach);
  return [inTime ? okFinding(text) : { level: "note", what: text, hint }];
}

/** A rule that did not arrive at the call: a guard that is silently absent would be worse than none. */
function unreachedFindings(home: string): readonly Finding[] {
  const { text, unjudged } = summariseUnreached(home, systemClock.now());
  if (text === null) return [];
  const hint = `docs/postgres.md says what follows; remove ${join(home, "unreached")} to reset the count`;
  return [{ level: unjudged > 0 ? "problem" : "note", what: text, hint }];
}

/** If one check fails, the others still run. */
async function runCheck(check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof OldhandError) return [problemFinding(error.message, hintInDoctor(error))];
    throw error;
  }
}

/** Whoever reads it has called `oldhand doctor` already. */
function hintInDoctor({ hint }: OldhandError): string | null {
  return hint?.replace(" `oldhand doctor` checks the connection", "") ?? null;
}

/** True if only indexes do not match their tables: no data is lost. */
export function isIndexFault(faults: readonly string[]): boolean {
  return (
    faults.length > 0 &&
    faults.every((fault) =>
      /missing from index|wrong # of entries in index|non-unique entry in index|fts5|words/i.test(fault),
    )
  );
}

function okFinding(what: string): Finding {
  return { level: "ok", what, hint: null };
}

function problemFinding(what: string, hint: string | null): Finding {
  return { level: "problem", what, hint };
}
