import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { thisMachine } from "../../config.ts";
import { bringUp } from "../../distil/bring-up.ts";
import { distil } from "../../distil/distil.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { openContext, type OpenMind } from "../../mind.ts";
import { hosts } from "../../observe/hosts/list.ts";
import { importFound } from "../../observe/imports/import-found.ts";
import { importFile } from "../../observe/imports/import.ts";
import { packUp } from "../../observe/pack.ts";
import { plural } from "../../lib/text.ts";
import { invoke } from "../../invoke.ts";
import { operationNamed } from "../../operations.ts";
import { type Command, flag } from "./command.ts";
import { install } from "./install.ts";
import { newProgress } from "./progress.ts";
import { serveMind, untilStopped } from "./serve.ts";
import { placeFor } from "./wiring.ts";

export const start: Command = {
  name: "start",
  summary:
    "The first five minutes: imports what agents left here (or a sample), reports the repeated mistakes, serves the dashboard.",
  usage: "start [--port N] [--no-serve] [--ask]",
  words: 0,
  flags: [
    flag("port", "string", "port of the dashboard; 0 takes a free one"),
    flag("no-serve", "boolean", "stop after the report"),
    flag("ask", "boolean", "offer to install the hooks"),
  ],
  run: async (_words, values, globals) => {
    const mind = await openContext({ home: globals.home, now: globals.now });
    // With --json the one document is all there is on stdout.
    const say = (text: string) => void (globals.json ? process.stderr : process.stdout).write(text);
    try {
      const imported = await bringIn(mind);
      say(`${importedText(imported)}\n`);
      const report = await reported(mind);
      await packUp(mind);
      say(`\n${report.text}\n\n`);
      if (values["ask"] === true && !globals.json) await offerInstall(globals.home);
      const running = values["no-serve"] === true ? null : await serveMind(mind, values["port"] as string | undefined);
      const stopped = running && untilStopped();
      if (running) say(`Dashboard: ${running.address}\n(Ctrl-C stops it)\n`);
      if (globals.json)
        process.stdout.write(
          `${JSON.stringify({ imported, report: report.answer, address: running?.address ?? null })}\n`,
        );
      await stopped;
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
  /** Made up, because no agent has left anything here. */
  readonly sample: boolean;
}

/** Everything the hosts of this machine recorded; without any, a sample, said so. */
async function bringIn(mind: OpenMind): Promise<BroughtIn> {
  const progress = newProgress();
  const found = await importFound({ ...mind, report: progress.tell }, { machine: thisMachine() });
  const watched = { ...mind, report: progress.tell };
  await bringUp(watched);
  // What is made up teaches nothing: only what agents left here is mined.
  if (found.files > 0) await distil({ ...watched, actor: { kind: "import" } }, { write: true });
  progress.end();
  const { files, events, rules, memories } = found;
  if (files > 0) return { files, events, rules, memories, sample: false };
  const sample = join(packageRoot(), "samples", "sessions.jsonl");
  const made = await importFile(mind, { path: sample, from: "neutral" });
  return { files: 1, events: made.events, rules: 0, memories: 0, sample: true };
}

function importedText({ files, events, rules, memories, sample }: BroughtIn): string {
  const learnt =
    rules + memories === 0 ? "" : `, ${plural(rules, "rule")} and ${plural(memories, "memory", "memories")}`;
  return sample
    ? `No agent has left transcripts on this machine, so this is a made-up sample of ${events > 0 ? plural(events, "event") : "events, imported before"}.\nTo remove the sample again: oldhand forget --workspace /home/ada/shop --write`
    : `Imported ${plural(events, "new event")}${learnt} from ${plural(files, "file")}.`;
}

async function reported(mind: OpenMind): Promise<{ readonly answer: unknown; readonly text: string }> {
  const report = operationNamed("report");
  const answer = await invoke(mind, report, { limit: 10 }, "oldhand report --help");
  return { answer, text: report.render(answer) };
}

async function offerInstall(home: string | undefined): Promise<void> {
  const found = [];
  for (const host of hosts) {
    const [setup, place] = [await host.setup(), placeFor(host, { project: null })];
    if (setup.find(place) && setup.plan(place).length > 0) found.push(host);
  }
  if (found.length === 0) return;
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await ask.question(
    `Watch ${found.map((host) => host.title).join(", ")} from now on? This adds hooks that uninstall takes back exactly. [y/N] `,
  );
  ask.close();
  if (/^y(es)?$/i.test(answer.trim()))
    await install.run(["all"], {}, { json: false, help: false, home, now: undefined, forOwner: false });
}
