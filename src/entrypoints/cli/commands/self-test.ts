import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Config, isOff, loadConfig } from "../../../config.ts";
import { errorMessage, OldhandError } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import { openContext } from "../../../mind.ts";
import { takeSelfTestArrival } from "../../../observe/protocol/self-test-arrival.ts";
import { type HookEntry, findHookEntries, findMissingProgram } from "../../../observe/wiring/entries.ts";
import type { Finding, Host, InstallTarget, Setup } from "../../../observe/protocol/host.ts";
import { SELF_TEST_PREFIX } from "../../../observe/protocol/self-test-name.ts";
import { type EntryRun, runEntry } from "../../../observe/wiring/run-entry.ts";

/** Whether a host's event arrives through the entries in its files. */
export interface SelfTest {
  readonly host: string;
  readonly arrived: boolean;
  readonly findings: readonly Finding[];
}

/** Runs every written entry with a test event and checks that it arrived in the mind. The event is not stored. */
export async function runSelfTest(host: Host, target: InstallTarget): Promise<SelfTest> {
  const setup = await host.setup();
  const note = (what: string, hint: string | null = null): Finding => ({ level: "note", what, hint });
  const untested = (what: string, hint: string | null) => ({
    host: host.name,
    arrived: false,
    findings: [note(`${host.title}: not tested, ${what}`, hint)],
  });
  const mind = await checkOpenable(target.home);
  if ("code" in mind) return untested(`the mind cannot be opened: ${mind.message}`, mind.hint ?? null);
  if (isOff(mind.off, target.home)) return untested("oldhand is switched off", "oldhand on");
  const probe = setup.probe;
  if (probe === undefined) return untested("no sample payload of this host is known", null);
  const planned = setup.plan(target);
  if (planned.length === 0) return untested("no oldhand hook was written", null);
  const there = planned.flatMap(({ path, before }) => (before === null ? [] : [{ path, text: before }]));
  const entries = findHookEntries(host.name, there);
  if (entries.length === 0) {
    const what = `${host.title}: none of its files contains an oldhand hook`;
    return { host: host.name, arrived: false, findings: [problemFinding(what, `oldhand install ${host.name}`)] };
  }
  if (target.team === true && !isOnPath("oldhand", target)) {
    const what = `${host.title}: no event arrived: oldhand is not on the PATH here, so the hook stays silent`;
    return {
      host: host.name,
      arrived: false,
      findings: [problemFinding(what, "npm run build && npm install -g . (in the checkout of oldhand)")],
    };
  }
  const findings: Finding[] = [];
  for (const entry of entries) findings.push(await testEntry(host, target, entry, probe));
  const arrived = findings.every((finding) => finding.level === "ok");
  return { host: host.name, arrived, findings };
}

/** Retries, because a hook gives up on a slow store, and a test event is not spooled. */
async function testEntry(host: Host, target: InstallTarget, entry: HookEntry, probe: Probe): Promise<Finding> {
  for (let left = 3; ; left--) {
    const session = `${SELF_TEST_PREFIX}${randomUUID()}`;
    const payload = probe({ session, cwd: target.home });
    const ran = await runEntry(buildRunOptions(target), entry, host.name, isRecord(payload) ? payload : {});
    const arrived = await hasArrived(target.home, session, { host: host.name, tries: countTries(entry) });
    if (arrived || ran.kind === "failed" || left === 1) return toFinding(host, entry, arrived, ran);
  }
}

type Probe = NonNullable<Setup["probe"]>;

function toFinding(host: Host, entry: HookEntry, arrived: boolean, tried: EntryRun): Finding {
  const through = `${entryNames[entry.kind]} in ${entry.path}`;
  if (arrived && tried.kind === "ran")
    return { level: "ok", what: `${host.title}: an event arrived through the ${through}`, hint: null };
  if (arrived && tried.kind === "failed")
    return problemFinding(`${host.title}: an event arrived through the ${through}, but ${tried.why}`, REPORT);
  const why = tried.kind === "failed" ? tried.why : "it ran without an error, but nothing was stored";
  return problemFinding(`${host.title}: no event arrived through the ${through}: ${why}`, findHint(host, entry, tried));
}

/** A plugin does not wait for its reply, so its process may end while the event is still being stored. */
function countTries(entry: HookEntry): number {
  return entry.kind === "plugin" ? 10 : 1;
}

const entryNames = { command: "command", script: "script", plugin: "plugin", server: "server" } as const;
const REPORT = "the host may show this to the user; `oldhand doctor` looks for problems";

/** What to do about the likeliest cause. */
function findHint(host: Host, entry: HookEntry, tried: EntryRun): string {
  const missing = findMissingProgram(entry);
  if (missing !== null) return `${missing} does not exist; oldhand install ${host.name} writes the current path`;
  if (tried.kind === "failed") return `run it by hand to see more, then oldhand install ${host.name}`;
  return "oldhand doctor shows problems of the mind, and what could not be stored";
}

function isOnPath(program: string, target: InstallTarget): boolean {
  const folders = (target.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const endings = target.platform === "win32" ? [".cmd", ".exe", ""] : [""];
  return folders.some((folder) => endings.some((ending) => existsSync(join(folder, `${program}${ending}`))));
}

async function hasArrived(
  home: string,
  session: string,
  { host, tries }: { readonly host: string; readonly tries: number },
): Promise<boolean> {
  const mind = await openContext({ home });
  try {
    for (let left = tries; left > 0; left--) {
      if ((await takeSelfTestArrival(mind, session)) === host) return true;
      if (left > 1) await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return false;
  } finally {
    await mind.close();
  }
}

/**
 * Called before anything runs: a mind that cannot be opened takes no event, and its error is a better explanation
 * than a missing event.
 */
async function checkOpenable(home: string): Promise<Config | OldhandError> {
  try {
    await (await openContext({ home })).close();
    return loadConfig({ home });
  } catch (error) {
    if (error instanceof OldhandError) return error;
    throw new Error(`the self-test could not start: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * Only basic variables and the choice of a database. Variables of other hosts in this shell would make a hook
 * decline.
 */
function buildRunOptions(target: InstallTarget): { env: Record<string, string>; cwd: string; patienceMs: number } {
  const names = /^(PATH|PATHEXT|HOME|USERPROFILE|TMPDIR|TEMP|TMP|SYSTEMROOT|COMSPEC|APPDATA|LANG|OLDHAND_DATABASE)$/i;
  const env = Object.entries(target.env).flatMap(([name, value]) =>
    names.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return { env: Object.fromEntries(env), cwd: target.project ?? target.home, patienceMs: 15_000 };
}

function problemFinding(what: string, hint: string | null): Finding {
  return { level: "problem", what, hint };
}
