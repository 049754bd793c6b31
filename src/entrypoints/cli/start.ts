import { createInterface } from "node:readline/promises";
import { homeOf, thisMachine } from "../../config.ts";
import { bringUp } from "../../distil/bring-up.ts";
import { distil } from "../../distil/distil.ts";
import { plural } from "../../lib/text.ts";
import { openContext, type OpenMind } from "../../mind.ts";
import { importFound } from "../../observe/imports/import-found.ts";
import { importFile } from "../../observe/imports/import.ts";
import {
  isSampleHome,
  makeSampleHome,
  sampleFile,
  sampleHomeIn,
  type TakenOut,
  takeSampleOut,
} from "../../observe/imports/sample.ts";
import { packUp } from "../../observe/pack.ts";
import { invoke } from "../../invoke.ts";
import { operationNamed } from "../../operations.ts";
import { totalsOfSessions } from "../../store/sessions.ts";
import type { Globals } from "./arguments.ts";
import { type Command, flag } from "./command.ts";
import { install } from "./install.ts";
import { nextSteps, unwatched } from "./next-steps.ts";
import { seenFromShell } from "./agent-shell.ts";
import { newProgress } from "./progress.ts";
import { serveMind, untilStopped } from "./serve.ts";

export const start: Command = {
  name: "start",
  summary:
    "The first five minutes: imports what agents left here, reports the repeated mistakes, serves the dashboard. Where nothing was recorded yet, it shows a made-up sample in a separate mind.",
  usage: "start [--sample] [--port N] [--no-serve] [--ask]",
  words: 0,
  flags: [
    flag("sample", "boolean", "show the made-up sample; your own mind is not opened"),
    flag("port", "string", "port of the dashboard; 0 takes a free one"),
    flag("no-serve", "boolean", "stop after the report"),
    flag("ask", "boolean", "offer to install the hooks"),
  ],
  run: async (_words, values, globals) => {
    // With --json the one document is all there is on stdout.
    const say = (text: string) => void (globals.json ? process.stderr : process.stdout).write(text);
    const stop = new AbortController();
    const asked = values["sample"] === true;
    const { mind, imported, removed } = await opened({ ...globals, signal: stop.signal }, asked);
    try {
      say(`${[...removedLines(removed), ...importedLines(imported, mind.config.home)].join("\n")}\n`);
      const report = await reported(imported.sample ? mind : await seenFromShell(mind, globals));
      await packUp(mind);
      say(`\n${report.text}\n\n`);
      const isAsked = values["ask"] === true && !globals.json && !imported.sample;
      const isWired = isAsked && (await offerInstall(globals.home));
      for (const line of await nextSteps(mind, { isSample: imported.sample, isWired })) say(`${line}\n`);
      const running = values["no-serve"] === true ? null : await serveMind(mind, values["port"] as string | undefined);
      const stopped = running && untilStopped();
      if (running) say(`Dashboard: ${running.address}\n(Ctrl-C stops it)\n`);
      if (globals.json)
        process.stdout.write(
          `${JSON.stringify({ imported, report: report.answer, address: running?.address ?? null })}\n`,
        );
      await stopped;
      // What is worked out beside the dashboard ends after the piece it is at.
      stop.abort();
      await running?.close();
      return 0;
    } finally {
      await mind.close();
    }
  },
};

interface BroughtIn {
  readonly files: number;
  readonly events: number;
  /** Of another product's store. */
  readonly rules: number;
  readonly memories: number;
  /** Made up, and in a separate mind. */
  readonly sample: boolean;
  /** True where it was asked for, not shown for want of anything else. */
  readonly asked: boolean;
}

type Around = Pick<Globals, "home" | "now"> & { readonly signal: AbortSignal };

interface Opened {
  readonly mind: OpenMind;
  readonly imported: BroughtIn;
  readonly removed: TakenOut;
}

/** The mind to show: the real one, with everything the hosts of this machine recorded; the sample's where there is nothing. */
async function opened(globals: Around, asked: boolean): Promise<Opened> {
  const nothing = { sessions: 0, rules: 0 };
  const home = homeOf({ home: globals.home });
  if (asked || isSampleHome(home)) return { ...(await openSample(globals, home, true)), removed: nothing };
  const mind = await openContext({ home: globals.home, now: globals.now, signal: globals.signal });
  try {
    const removed = await takeSampleOut(mind);
    const imported = await bringIn(mind);
    if (imported.files > 0 || (await totalsOfSessions(mind.db)).events > 0) return { mind, imported, removed };
    await mind.close();
    return { ...(await openSample(globals, home, false)), removed };
  } catch (error) {
    await mind.close();
    throw error;
  }
}

/** Everything the hosts of this machine recorded. */
async function bringIn(mind: OpenMind): Promise<BroughtIn> {
  const progress = newProgress();
  const watched = { ...mind, report: progress.tell };
  const { files, events, rules, memories } = await importFound(watched, { machine: thisMachine() });
  await bringUp(watched);
  await distil({ ...watched, actor: { kind: "import" } }, { write: true });
  progress.end();
  return { files, events, rules, memories, sample: false, asked: false };
}

async function openSample(globals: Around, real: string, asked: boolean): Promise<Omit<Opened, "removed">> {
  const { home, database } = sampleHomeIn(real);
  makeSampleHome(home);
  const mind = await openContext({ home, database, now: globals.now, signal: globals.signal });
  try {
    const { events } = await importFile(mind, { path: sampleFile(), from: "neutral" });
    await bringUp(mind);
    if (events > 0) await distil({ ...mind, actor: { kind: "import" } }, { write: true });
    return { mind, imported: { files: 1, events, rules: 0, memories: 0, sample: true, asked } };
  } catch (error) {
    await mind.close();
    throw error;
  }
}

function importedLines({ files, events, rules, memories, sample, asked }: BroughtIn, home: string): readonly string[] {
  const learnt =
    rules + memories === 0 ? "" : `, ${plural(rules, "rule")} and ${plural(memories, "memory", "memories")}`;
  if (!sample)
    return [
      files === 0
        ? "No transcripts were found on this machine. The report covers the events already stored."
        : `Imported ${plural(events, "new event")}${learnt} from ${plural(files, "file")}.`,
    ];
  return [
    `SAMPLE: ${asked ? "what follows is made up." : "no agent has left transcripts on this machine, so what follows is made up."}`,
    `It is in a separate mind, ${home}. Nothing of it is stored in your own mind. Delete that folder to remove it.`,
  ];
}

function removedLines({ sessions, rules }: TakenOut): readonly string[] {
  return sessions === 0
    ? []
    : [
        `Removed the made-up sample that an earlier version put into this mind: ${plural(sessions, "session")}${rules === 0 ? "" : `, ${plural(rules, "rule")} learned from nothing else`}.`,
      ];
}

async function reported(mind: OpenMind): Promise<{ readonly answer: unknown; readonly text: string }> {
  const report = operationNamed("report");
  const answer = await invoke(mind, report, { limit: 10 }, "oldhand report --help");
  return { answer, text: report.render(answer) };
}

/** Whether the hooks were added. */
async function offerInstall(home: string | undefined): Promise<boolean> {
  const found = await unwatched(homeOf({ home }));
  if (found.length === 0) return false;
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await ask.question(
    `Watch ${found.map((host) => host.title).join(", ")} from now on? This adds hooks that uninstall takes back exactly. [y/N] `,
  );
  ask.close();
  if (!/^y(es)?$/i.test(answer.trim())) return false;
  const code = await install.run(["all"], {}, { json: false, help: false, home, now: undefined, forOwner: false });
  return code === 0;
}
