import { OldhandError } from "../../../lib/errors.ts";
import { plural } from "../../../lib/text.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";

export const simCommand: CliCommand = {
  name: "sim",
  summary:
    "Runs the queue of work, or jobs, in a simulation with faults, from a seed; the same seed gives the same run.",
  usage:
    "sim [--seed N] [--seeds COUNT] [--engine sqlite|postgres] [--scenario queue|slots [--days N] [--machines 1|2]]",
  words: 0,
  flags: [
    newFlag("seed", "string", "the seed, or the first of several; 1 by default"),
    newFlag("seeds", "string", "how many seeds to run; with one, all its steps are printed"),
    newFlag("engine", "string", "sqlite (default) or postgres"),
    newFlag("postgres", "string", "an empty database on a server, instead of PGlite in this process"),
    newFlag("without", "string", "leave out one fence, to see what it is for: token, lease or transaction"),
    newFlag("scenario", "string", "queue (default), or slots: the due times of jobs"),
    newFlag("days", "string", "how many days of slots to simulate; 90 by default"),
    newFlag("machines", "string", "slots: 1 or 2 machines; 1 by default on sqlite, 2 on postgres"),
  ],
  run: async (_words, values, globals) => {
    const scenario = values["scenario"] ?? "queue";
    if (scenario === "slots") return runSlots(values, globals);
    if (scenario !== "queue") throw new OldhandError("usage", `there is no scenario ${String(scenario)}: queue, slots`);
    const { runSeeds, describeBroken, formatStory } = await import("../../../../sim/queue/run-seeds.ts");
    const { simulateQueue } = await import("../../../../sim/queue/queue-scenario.ts");
    const without = await parseFence(values["without"]);
    const seed = parseWhole(values["seed"], 1);
    const count = parseWhole(values["seeds"], 1);
    const engine = await openEngine(values);
    try {
      if (count === 1) {
        const run = await simulateQueue(engine, seed, { without });
        const lines = globals.json ? `${JSON.stringify(run)}\n` : formatStory(run.story);
        const verdict = run.broken.length === 0 ? "every promise was kept" : run.broken.join("; ");
        process.stdout.write(globals.json ? lines : `${lines}seed ${seed}, ${run.steps} steps: ${verdict}\n`);
        return run.broken.length === 0 ? 0 : 1;
      }
      const report = await runSeeds(engine, { from: seed, count }, { without });
      if (globals.json) process.stdout.write(`${JSON.stringify(report)}\n`);
      else if (report.failed === null)
        process.stdout.write(`${plural(report.seeds, "seed")}, ${report.steps} steps: every promise was kept\n`);
      else process.stdout.write(`${describeBroken(engine.name, report.failed)}\n`);
      return report.failed === null ? 0 : 1;
    } finally {
      await engine.close();
    }
  },
};

/** Prints what became of the slots; of a run that broke a promise, its last steps too. */
async function runSlots(values: Readonly<Record<string, unknown>>, { json }: { readonly json: boolean }) {
  const { simulateSlots } = await import("../../../../sim/slots/slots-scenario.ts");
  const { formatStory } = await import("../../../../sim/queue/run-seeds.ts");
  if (values["without"] !== undefined) throw new OldhandError("usage", "--without is for the scenario queue");
  const first = parseWhole(values["seed"], 1);
  const days = parseWhole(values["days"], 90);
  const machines = values["machines"] === undefined ? undefined : parseWhole(values["machines"], 1);
  if (machines !== undefined && machines !== 1 && machines !== 2)
    throw new OldhandError("usage", `--machines is 1 or 2, not ${machines}`);
  const engine = await openEngine(values);
  try {
    for (let seed = first; seed < first + parseWhole(values["seeds"], 1); seed++) {
      const { story, ...run } = await simulateSlots(engine, seed, { days, machines });
      const isKept = run.broken.length === 0;
      const verdict = isKept ? "every promise was kept" : run.broken.slice(0, SHOWN).join("; ");
      const counts = Object.entries(run.counts).map(([kind, count]) => `${count} ${kind}`);
      const line = `seed ${seed}, ${days} days, ${run.steps} steps, slots: ${counts.join(", ")}: ${verdict}`;
      process.stdout.write(
        json ? `${JSON.stringify(run)}\n` : `${isKept ? "" : formatStory(story.slice(-LAST_STEPS))}${line}\n`,
      );
      if (!isKept) return 1;
    }
    return 0;
  } finally {
    await engine.close();
  }
}

const SHOWN = 5;
const LAST_STEPS = 200;

async function openEngine(values: Readonly<Record<string, unknown>>) {
  const { openSimPostgres, openSimSqlite } = await import("../../../../sim/queue/engines.ts");
  const name = values["engine"] ?? "sqlite";
  if (name === "sqlite") return openSimSqlite();
  if (name !== "postgres") throw new OldhandError("usage", `there is no engine ${String(name)}: sqlite, postgres`);
  const { openPglite, openServer } = await import("../../../../sim/queue/connections.ts");
  const address = values["postgres"];
  return openSimPostgres(typeof address === "string" ? await openServer(address) : await openPglite());
}

async function parseFence(value: unknown) {
  const { fences } = await import("../../../../sim/queue/without-fence.ts");
  const found = fences.find((fence) => fence === value);
  if (value !== undefined && found === undefined)
    throw new OldhandError("usage", `there is no fence ${String(value)}: ${fences.join(", ")}`);
  return found;
}

function parseWhole(value: unknown, otherwise: number): number {
  const number = value === undefined ? otherwise : Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new OldhandError("usage", `"${String(value)}" is not a whole number above 0`);
  return number;
}
