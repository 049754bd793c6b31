import { resolve, sep } from "node:path";
import { resolveHome, loadConfig } from "../../../config.ts";
import { ensureHome } from "../../../lib/ensure-home.ts";
import { OldhandError } from "../../../lib/errors.ts";
import type { Finding, Host, InstallTarget, PlannedFile } from "../../../observe/protocol/host.ts";
import { hosts } from "../../../observe/hosts/list.ts";
import { refuseSampleHome } from "../../../observe/imports/sample.ts";
import { isCommandFile } from "../../../observe/wiring/person-commands.ts";
import { planFiles } from "../../../observe/wiring/plan.ts";
import {
  takenNameFindings,
  unverifiedFindings,
  nothingToInstallFindings,
} from "../../../observe/installed/integration.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";
import { findMeantWord } from "../parts/meant-word.ts";
import {
  type Receipt,
  readReceipts,
  type PlannedRevert,
  planRevert,
  revertFile,
  type InstallScope,
  writeWithReceipt,
  writeReceipts,
} from "./receipts.ts";
import { type SelfTest, runSelfTest } from "./self-test.ts";
import { newInstallTarget } from "./integrations.ts";

export const installCommand: CliCommand = {
  name: "install",
  summary:
    "Connects hosts to this mind and sends a test event. It shows every change, and keeps a copy of changed files.",
  usage: "install [HOST…|all] [--project DIR [--team]] [--dry-run]",
  words: Number.POSITIVE_INFINITY,
  flags: [
    newFlag("project", "string", "install only for this repository"),
    newFlag("team", "boolean", "write files that the whole team shares; without --project, in this folder"),
    newFlag("dry-run", "boolean", "only show what would change"),
  ],
  run: async (words, values, globals) => {
    const home = resolveHome({ home: globals.home });
    refuseSampleHome(home);
    const whom = parseScope(values);
    const planned = await planInstalls(words, whom, home);
    const changes = planned.flatMap(({ host, files }) =>
      files.filter((file) => file.before !== file.after).map((file) => ({ host: host.name, file })),
    );
    const isDry = values["dry-run"] === true;
    if (!isDry) {
      ensureHome(home);
      for (const { host, file } of changes) await writeWithReceipt(home, host, file, whom);
    }
    const wrote = new Set(planned.flatMap(({ host, files }) => (files.length === 0 ? [] : [host.name])));
    const explained = await listExplained(planned);
    const findings = [
      ...(await collectFindings(planned.filter((one) => !isDry || explained.has(one.host.name)))),
      ...nothingToInstallFindings(words, new Set([...wrote, ...explained])),
    ];
    const selfTests: SelfTest[] = [];
    if (!isDry) for (const { host, target } of planned) selfTests.push(await runSelfTest(host, target));
    if (globals.json) {
      const files = changes.map(({ host, file }) => ({ host, path: file.path, why: file.why }));
      process.stdout.write(`${JSON.stringify({ files, written: !isDry, findings, selfTests })}\n`);
    } else {
      if (planned.length === 0) process.stdout.write(`${NO_HOST_FOUND}\n`);
      else if (changes.length === 0 && wrote.size > 0) process.stdout.write("Everything is already in place.\n");
      for (const { file } of changes)
        process.stdout.write(`${isDry ? "would write" : "wrote"} ${file.path}: ${file.why}\n`);
      for (const { what, hint } of [...findings, ...selfTests.flatMap((test) => test.findings)])
        process.stdout.write(`${what}\n${hint === null ? "" : `    ${hint}\n`}`);
      if (!isDry && changes.length > 0) process.stdout.write(`${NEXT_STEP}\n`);
    }
    // No host to install for is not a success.
    if (planned.length === 0) return 1;
    return selfTests.some((test) => test.findings.some((finding) => finding.level === "problem")) ? 1 : 0;
  },
};

const NEXT_STEP =
  "Start a new session in your agent; `oldhand status` shows what is learned. `oldhand uninstall` removes the hooks.";

/** A host has a settings folder in the user's home. One that was never started is only found on the PATH. */
const NO_HOST_FOUND = [
  "No agent that oldhand knows was found on this machine, so nothing was installed.",
  `Looked for the settings folders (such as ~/.claude, ~/.codex) and programs (such as claude, codex) of ${hosts.map((host) => host.title).join(", ")}.`,
  "Install one of them first. If one keeps its settings elsewhere, name it: oldhand install HOST.",
].join("\n");

export const uninstallCommand: CliCommand = {
  name: "uninstall",
  summary: "Disconnects hosts: restores every file as it was before.",
  usage: "uninstall [HOST…|all] [--project DIR] [--dry-run]",
  words: Number.POSITIVE_INFINITY,
  flags: [
    newFlag("project", "string", "only files written for this repository"),
    newFlag("dry-run", "boolean", "only show what would be taken back"),
  ],
  isOwnerOnly: () => true,
  run: async (words, values, globals) => {
    refuseUnknown(words);
    const home = resolveHome({ home: globals.home });
    const receipts = readReceipts(home);
    const project = values["project"] === undefined ? undefined : resolve(String(values["project"]));
    const mine = receipts.filter(
      (receipt) =>
        (words.length === 0 || words.includes("all") || words.includes(receipt.host)) &&
        (project === undefined || receipt.project === project),
    );
    const isDry = values["dry-run"] === true;
    const kept: Receipt[] = [];
    const done: PlannedRevert[] = [];
    // Last written first, so that a folder is already empty when it is removed.
    for (const receipt of mine.toReversed()) {
      const plan = await planRevert(home, receipt);
      if (plan === null) kept.push(receipt);
      else done.push(plan);
      if (plan !== null && !isDry) revertFile(plan);
    }
    if (!isDry) writeReceipts(home, [...receipts.filter((receipt) => !mine.includes(receipt)), ...kept]);
    for (const receipt of kept)
      process.stderr.write(
        isCommandFile(receipt.after)
          ? `oldhand: ${receipt.path} was changed after install, so it stays; delete it if you do not need it\n`
          : `oldhand: ${receipt.path} was changed since; remove the hooks that end in "hook ${receipt.host}" from it by hand\n`,
      );
    if (globals.json)
      process.stdout.write(
        `${JSON.stringify({ restored: done.map(({ receipt }) => receipt.path), kept: kept.map((one) => one.path), written: !isDry })}\n`,
      );
    else if (mine.length === 0) process.stdout.write("Nothing was installed.\n");
    else for (const plan of done) process.stdout.write(`${formatRevert(plan, isDry)}\n`);
    // Otherwise users might believe that uninstalling deletes what was learned.
    if (!globals.json && !isDry && mine.length > 0) {
      const isInside = loadConfig({ home: globals.home }).database.startsWith(home + sep);
      process.stdout.write(
        `What was learned stays in ${home}${isInside ? "" : " and in its database"}. To remove it, delete ${isInside ? "that folder" : "both"}.\n`,
      );
    }
    return kept.length === 0 ? 0 : 1;
  },
};

function formatRevert({ receipt, text, isShared }: PlannedRevert, isDry: boolean): string {
  if (isShared)
    return `${isDry ? "would remove" : "removed"} oldhand's entries from ${receipt.path}, which was changed since the install; the rest stays`;
  const action = text === null ? "remove" : "restore";
  return `${isDry ? `would ${action}` : `${action}d`} ${receipt.path}`;
}

function parseScope(values: Readonly<Record<string, unknown>>): InstallScope {
  const given = values["project"] as string | undefined;
  const team = values["team"] === true;
  if (given === undefined && !team) return { project: null };
  return { project: resolve(given ?? "."), team };
}

interface PlannedInstall {
  readonly host: Host;
  readonly target: InstallTarget;
  readonly files: readonly (PlannedFile & { readonly after: string })[];
}

async function planInstalls(
  words: readonly string[],
  whom: InstallScope,
  home: string,
): Promise<readonly PlannedInstall[]> {
  refuseUnknown(words);
  const all = words.length === 0 || words.includes("all");
  const planned: PlannedInstall[] = [];
  for (const host of hosts) {
    if (!all && !words.includes(host.name)) continue;
    const setup = await host.setup();
    const target = newInstallTarget(host, whom, home);
    if (all && !setup.detect(target)) continue;
    const files = planFiles(setup, target).flatMap((file) =>
      file.after === null ? [] : [{ ...file, after: file.after }],
    );
    planned.push({ host, target, files });
  }
  return planned;
}

/** What only the user can do, in the host itself. */
async function collectFindings(planned: readonly PlannedInstall[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { host, target } of planned) {
    const setup = await host.setup();
    findings.push(
      ...unverifiedFindings(host),
      ...takenNameFindings(host, setup, target),
      ...(setup.findings?.(target) ?? []),
    );
  }
  return findings.filter((finding) => finding.level !== "ok");
}

/** Hosts that get no file, and whose own findings say why. */
async function listExplained(planned: readonly PlannedInstall[]): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { host, target, files } of planned) {
    const findings = files.length > 0 ? [] : ((await host.setup()).findings?.(target) ?? []);
    if (findings.length > 0) names.add(host.name);
  }
  return names;
}

function refuseUnknown(words: readonly string[]): void {
  const names = hosts.map((host) => host.name);
  for (const word of words) {
    if (word !== "all" && !names.includes(word)) {
      const near = findMeantWord(word, names);
      throw new OldhandError("usage", `there is no host ${word}`, {
        hint: `${near === null ? "" : `did you mean ${near}? `}hosts: ${names.join(", ")}`,
      });
    }
  }
}
