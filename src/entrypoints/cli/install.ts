import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ensureHome, homeOf } from "../../config.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, stableJson, tryParse } from "../../lib/json.ts";
import type { Finding, PlannedFile } from "../../observe/host.ts";
import { hosts } from "../../observe/hosts/list.ts";
import { plannedFiles, withoutOurs as partsOfOthers } from "../../observe/plan.ts";
import { unverified, unwired } from "../../observe/wired.ts";
import { type Command, flag } from "./command.ts";
import { placeFor } from "./wiring.ts";

/** What was written where, so that it can be taken back to the byte. */
interface Receipt {
  readonly host: string;
  readonly path: string;
  /** The file as it was; null where there was none. */
  readonly before: string | null;
  readonly after: string;
  /** The first folder that had to be made for it. */
  readonly made?: string | undefined;
}

export const install: Command = {
  name: "install",
  summary: "Wires hosts to this mind; shows what it changes, and keeps a copy of what was there.",
  usage: "install [HOST…|all] [--project DIR] [--dry-run]",
  words: Number.POSITIVE_INFINITY,
  flags: [
    flag("project", "string", "only in this repository"),
    flag("dry-run", "boolean", "only show what would change"),
  ],
  run: async (words, values, globals) => {
    const home = homeOf({ home: globals.home });
    const project = values["project"] as string | undefined;
    const files = await plannedFor(words, project, home);
    const changes = files.filter((file) => file.planned.before !== file.planned.after);
    if (values["dry-run"] !== true) {
      ensureHome(home);
      for (const file of changes) await write(home, file.host, file.planned);
    }
    const verb = values["dry-run"] === true ? "would write" : "wrote";
    const wired = new Set(values["dry-run"] === true ? [] : files.map((file) => file.host));
    const findings = [
      ...(await findingsOf(wired, project, home)),
      ...unwired(words, new Set(files.map((file) => file.host))),
    ];
    if (globals.json)
      process.stdout.write(
        `${JSON.stringify({ files: changes.map((file) => ({ host: file.host, path: file.planned.path, why: file.planned.why })), written: values["dry-run"] !== true, findings })}\n`,
      );
    else if (changes.length === 0) process.stdout.write("Everything is in place already.\n");
    else for (const file of changes) process.stdout.write(`${verb} ${file.planned.path}: ${file.planned.why}\n`);
    if (!globals.json)
      for (const { what, hint } of findings) process.stdout.write(`${what}\n${hint === null ? "" : `    ${hint}\n`}`);
    return 0;
  },
};

export const uninstall: Command = {
  name: "uninstall",
  summary: "Takes the wiring back: every file as it was before.",
  usage: "uninstall [HOST…|all]",
  words: Number.POSITIVE_INFINITY,
  flags: [],
  run: async (words, _values, globals) => {
    refuseUnknown(words);
    const home = homeOf({ home: globals.home });
    const receipts = readReceipts(home);
    const mine = receipts.filter(
      (receipt) => words.length === 0 || words.includes("all") || words.includes(receipt.host),
    );
    const kept: Receipt[] = [];
    // Last written first, so that a folder is empty when its turn comes.
    for (const receipt of mine.toReversed()) if (!(await takeBack(home, receipt))) kept.push(receipt);
    writeReceipts(home, [...receipts.filter((receipt) => !mine.includes(receipt)), ...kept]);
    for (const receipt of kept)
      process.stderr.write(
        `oldhand: ${receipt.path} was changed since; take the hooks that end in "hook ${receipt.host}" out of it by hand\n`,
      );
    const done = mine.filter((receipt) => !kept.includes(receipt));
    if (globals.json)
      process.stdout.write(
        `${JSON.stringify({ restored: done.map((one) => one.path), kept: kept.map((one) => one.path) })}\n`,
      );
    else
      process.stdout.write(
        mine.length === 0 ? "Nothing was installed.\n" : done.map((one) => `restored ${one.path}\n`).join(""),
      );
    return kept.length === 0 ? 0 : 1;
  },
};

async function plannedFor(
  words: readonly string[],
  project: string | undefined,
  home: string,
): Promise<{ host: string; planned: PlannedFile & { after: string } }[]> {
  refuseUnknown(words);
  const all = words.length === 0 || words.includes("all");
  const planned = [];
  for (const host of hosts) {
    if (!all && !words.includes(host.name)) continue;
    const setup = await host.setup();
    const place = placeFor(host, project ?? null, home);
    if (all && !setup.find(place)) continue;
    for (const file of plannedFiles(setup, place))
      if (file.after !== null) planned.push({ host: host.name, planned: { ...file, after: file.after } });
  }
  return planned;
}

/** What is left to do that only the user can do, in the host itself. */
async function findingsOf(
  wired: ReadonlySet<string>,
  project: string | undefined,
  home: string,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const host of hosts.filter((one) => wired.has(one.name))) {
    const setup = await host.setup();
    findings.push(...unverified(host), ...(setup.findings?.(placeFor(host, project ?? null, home)) ?? []));
  }
  return findings.filter((finding) => finding.level !== "ok");
}

function refuseUnknown(words: readonly string[]): void {
  for (const word of words) {
    if (word !== "all" && !hosts.some((host) => host.name === word))
      throw new OldhandError("usage", `no host is called ${word}`, {
        hint: `there are ${hosts.map((host) => host.name).join(", ")}`,
      });
  }
}

async function write(home: string, host: string, file: PlannedFile & { after: string }): Promise<void> {
  const receipts = readReceipts(home);
  const earlier = receipts.find((receipt) => receipt.path === file.path);
  const before = await beforeUs(host, file, earlier);
  const made = mkdirSync(dirname(file.path), { recursive: true }) ?? earlier?.made;
  writeReceipts(home, [
    ...receipts.filter((receipt) => receipt.path !== file.path),
    { host, path: file.path, before, after: file.after, made },
  ]);
  if (file.before !== null && !earlier) copyFileSync(file.path, `${file.path}.before-oldhand`);
  replace(file.path, file.after);
}

/** Installed over an older install of ours, the way back leads to before the first, with what others wrote since. */
async function beforeUs(host: string, file: PlannedFile, earlier: Receipt | undefined): Promise<string | null> {
  const now = file.before;
  if (now === null || now === earlier?.after) return earlier?.before ?? null;
  const theirs = await withoutOurs(host, now);
  if (theirs === null || isSame(theirs, now)) return now;
  const untouched = earlier !== undefined && isSame(theirs, (await withoutOurs(host, earlier.after)) ?? "");
  return untouched ? earlier.before : theirs;
}

async function withoutOurs(host: string, text: string): Promise<string | null> {
  const setup = await hosts.find((one) => one.name === host)?.setup();
  return setup === undefined ? null : partsOfOthers(setup, text);
}

function isSame(a: string, b: string): boolean {
  return a === b || stableJson(tryParse(a) ?? a) === stableJson(tryParse(b) ?? b);
}

/** Whole or not at all. A link stays a link to the same file, and a file that only its owner could read stays so. */
function replace(path: string, text: string): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o644;
  writeFileSync(`${real}.oldhand-new`, text, { mode });
  renameSync(`${real}.oldhand-new`, real);
}

/** What others wrote to the file since stays. False when it cannot be told from ours. */
async function takeBack(home: string, receipt: Receipt): Promise<boolean> {
  const { path, before, after, made } = receipt;
  const now = existsSync(path) ? readFileSync(path, "utf8") : null;
  const isOurFile = before === null && path.startsWith(join(home, "hosts"));
  if (now !== null && now !== after && !isOurFile) {
    const theirs = await withoutOurs(receipt.host, now);
    if (theirs === null) return false;
    if (!isSame(theirs, (await withoutOurs(receipt.host, after)) ?? "")) {
      replace(path, theirs);
      rmSync(`${path}.before-oldhand`, { force: true });
      return true;
    }
  }
  if (before === null) rmSync(path, { force: true });
  else replace(path, before);
  rmSync(`${path}.before-oldhand`, { force: true });
  if (made !== undefined) removeEmpty(dirname(path), made);
  return true;
}

/** Folders that we made and nobody uses, up to the first of them. */
function removeEmpty(folder: string, first: string): void {
  if (!folder.startsWith(first) || !existsSync(folder) || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmpty(dirname(folder), first);
}

function readReceipts(home: string): readonly Receipt[] {
  const file = join(home, "installed.json");
  const parsed = existsSync(file) ? tryParse(readFileSync(file, "utf8")) : [];
  return Array.isArray(parsed) ? (parsed.filter(isRecord) as unknown as Receipt[]) : [];
}

function writeReceipts(home: string, receipts: readonly Receipt[]): void {
  ensureHome(home);
  writeFileSync(join(home, "installed.json"), `${JSON.stringify(receipts, null, 2)}\n`, { mode: 0o600 });
}
