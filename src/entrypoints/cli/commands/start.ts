import { createInterface } from "node:readline/promises";
import { resolveHome, thisMachine } from "../../../config.ts";
import { refreshDerived } from "../../../distil/maintenance/refresh-derived.ts";
import { distil } from "../../../distil/mining/distil.ts";
import { plural } from "../../../lib/text.ts";
import { openContext, type OpenMind } from "../../../mind.ts";
import { importFoundHistory } from "../../../observe/imports/import-found-history.ts";
import { importFile } from "../../../observe/imports/import.ts";
import {
  isSampleHome,
  makeSampleHome,
  sampleFile,
  locateSampleHome,
  type SampleRemoval,
  removeSample,
} from "../../../observe/imports/sample.ts";
import { packAndPruneEpisodes } from "../../../observe/pack-episodes.ts";
import { invoke } from "../../../invoke.ts";
import { operationNamed } from "../../../operations.ts";
import { countSessionsAndEvents } from "../../../store/sessions/sessions.ts";
import type { Globals } from "../parts/arguments.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";
import { installCommand } from "./install.ts";
import { listNextSteps, listUnwatchedHosts } from "./next-steps.ts";
import { seenFromShell } from "../parts/agent-shell.ts";
import { newProgressLine } from "../parts/progress.ts";
import { serveMind, waitUntilStopped } from "./serve.ts";

export const startCommand: CliCommand = {
  name: "start",
  summary:
    "Imports agents' transcripts from this machine, reports repeated mistakes and serves the dashboard. If there are none, it shows a made-up sample in a separate mind.",
  usage: "start [--sample] [--port N] [--no-serve] [--ask]",
  words: 0,
  flags: [
    newFlag("sample", "boolean", "show the made-up sample; your own mind is not opened"),
    newFlag("port", "string", "port of the dashboard; 0 picks a free one"),
    newFlag("no-serve", "boolean", "stop after the report"),
    newFlag("ask", "boolean", "offer to install the hooks"),
  ],
  run: async (_words, values, globals) => {
    // With --json, stdout holds only the JSON document.
    const say = (text: string) => void (globals.json ? process.stderr : process.stdout).write(text);
    const stop = new AbortController();
    const asked = values["sample"] === true;
    const { mind, imported, removed } = await openMindToShow({ ...globals, signal: stop.signal }, asked);
    try {
      say(`${[...formatRemoved(removed), ...formatImported(imported, mind.config.home)].join("\n")}\n`);
      const report = await runReport(imported.sample ? mind : await seenFromShell(mind, globals));
      await packAndPruneEpisodes(mind);
      say(`\n${report.text}\n\n`);
      const asksUser = values["ask"] === true && !globals.json && !imported.sample;
      const isWired = asksUser && (await offerInstall(globals.home));
      for (const line of await listNextSteps(mind, { isSample: imported.sample, isWired })) say(`${line}\n`);
      const running = values["no-serve"] === true ? null : await serveMind(mind, values["port"] as string | undefined);
      const stopped = running && waitUntilStopped();
      if (running) say(`Dashboard: ${running.address}\n(Ctrl-C stops it)\n`);
      if (globals.json)
        process.stdout.write(
          `${JSON.stringify({ imported, report: report.result, address: running?.address ?? null })}\n`,
        );
      await stopped;
      // Background work for the dashboard stops after its current step.
      stop.abort();
      await running?.close();
      return 0;
    } finally {
      await mind.close();
    }
  },
};

interface StartImport {
  readonly files: number;
  readonly events: number;
  /** From another product's store. */
  readonly rules: number;
  readonly memories: number;
  /** Made up, and in a separate mind. */
  readonly sample: boolean;
  /** True if the user asked for the sample; false if it is shown because nothing was found. */
  readonly asked: boolean;
}

type StartOptions = Pick<Globals, "home" | "now"> & { readonly signal: AbortSignal };

interface OpenedMind {
  readonly mind: OpenMind;
  readonly imported: StartImport;
  readonly removed: SampleRemoval;
}

/**
 * Opens the mind to show: the real one after importing from this machine's hosts, or the sample's if there is no
 * data.
 */
async function openMindToShow(globals: StartOptions, asked: boolean): Promise<OpenedMind> {
  const nothing = { sessions: 0, rules: 0 };
  const home = resolveHome({ home: globals.home });
  if (asked || isSampleHome(home)) return { ...(await openSample(globals, home, true)), removed: nothing };
  const mind = await openContext({ home: globals.home, now: globals.now, signal: globals.signal });
  try {
    const removed = await removeSample(mind);
    const imported = await importHistory(mind);
    if (imported.files > 0 || (await countSessionsAndEvents(mind.db)).events > 0) return { mind, imported, removed };
    await mind.close();
    return { ...(await openSample(globals, home, false)), removed };
  } catch (error) {
    await mind.close();
    throw error;
  }
}

/** Imports everything that the hosts on this machine recorded. */
async function importHistory(mind: OpenMind): Promise<StartImport> {
  const progress = newProgressLine();
  const watched = { ...mind, report: progress.show };
  const { files, events, rules, memories } = await importFoundHistory(watched, { machine: thisMachine() });
  await refreshDerived(watched);
  await distil({ ...watched, actor: { kind: "import" } }, { write: true });
  progress.end();
  return { files, events, rules, memories, sample: false, asked: false };
}

async function openSample(globals: StartOptions, real: string, asked: boolean): Promise<Omit<OpenedMind, "removed">> {
  const { home, database } = locateSampleHome(real);
  makeSampleHome(home);
  const mind = await openContext({ home, database, now: globals.now, signal: globals.signal });
  try {
    const { events } = await importFile(mind, { path: sampleFile(), from: "neutral" });
    await refreshDerived(mind);
    if (events > 0) await distil({ ...mind, actor: { kind: "import" } }, { write: true });
    return { mind, imported: { files: 1, events, rules: 0, memories: 0, sample: true, asked } };
  } catch (error) {
    await mind.close();
    throw error;
  }
}

function formatImported(
  { files, events, rules, memories, sample, asked }: StartImport,
  home: string,
): readonly string[] {
  const learnt =
    rules + memories === 0 ? "" : `, ${plural(rules, "rule")} and ${plural(memories, "memory", "memories")}`;
  if (!sample)
    return [
      files === 0
        ? "No transcripts were found on this machine. The report covers the events already stored."
        : `Imported ${plural(events, "new event")}${learnt} from ${plural(files, "file")}.`,
    ];
  return [
    `SAMPLE: ${asked ? "this data is made up." : "no agent transcripts were found on this machine, so this data is made up."}`,
    `It is in a separate mind, ${home}. Nothing of it is stored in your own mind. Delete that folder to remove it.`,
  ];
}

function formatRemoved({ sessions, rules }: SampleRemoval): readonly string[] {
  return sessions === 0
    ? []
    : [
        `Removed the made-up sample that an earlier version put into this mind: ${plural(sessions, "session")}${rules === 0 ? "" : `, ${plural(rules, "rule")} learned only from it`}.`,
      ];
}

async function runReport(mind: OpenMind): Promise<{ readonly result: unknown; readonly text: string }> {
  const report = operationNamed("report");
  const result = await invoke(mind, report, { limit: 10 }, "oldhand report --help");
  return { result, text: report.render(result) };
}

/** True if the hooks were installed. */
async function offerInstall(home: string | undefined): Promise<boolean> {
  const found = await listUnwatchedHosts(resolveHome({ home }));
  if (found.length === 0) return false;
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await ask.question(
    `Connect ${found.map((host) => host.title).join(", ")} to oldhand? This adds hooks; \`oldhand uninstall\` removes them. [y/N] `,
  );
  ask.close();
  if (!/^y(es)?$/i.test(answer.trim())) return false;
  const code = await installCommand.run(
    ["all"],
    {},
    { json: false, help: false, home, now: undefined, forOwner: false },
  );
  return code === 0;
}
