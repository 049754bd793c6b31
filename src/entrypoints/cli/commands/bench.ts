import { errorMessage, OldhandError } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import { type CliCommand, newFlag } from "../parts/command.ts";

/** Each benchmark is imported on demand, so that it does not slow down the others. */
const benchmarks: Readonly<Record<string, (values: Readonly<Record<string, unknown>>) => Promise<unknown>>> = {
  hook: async (values) => {
    if (values["faults"] === true) {
      const { benchFaults } = await import("../../../../bench/fault-delays.ts");
      return benchFaults(parseNumber(values["rounds"], 10));
    }
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    if (values["server"] === true) return benchServer(values, say);
    const large = values["full"] === true ? 1_000_000 : 50_000;
    if (values["moments"] === true) {
      const { benchMoments } = await import("../../../../bench/session-moments.ts");
      return benchMoments(parseNumber(values["rounds"], 10), large, say);
    }
    const { benchStart } = await import("../../../../bench/start.ts");
    return benchStart({
      rounds: parseNumber(values["rounds"], 25),
      stored: parseNumber(values["stored"], 1_000),
      large,
      against: values["against"] as string | undefined,
      say,
    });
  },
  commands: async (values) => {
    const { benchCommands } = await import("../../../../bench/commands.ts");
    return benchCommands({
      rounds: parseNumber(values["rounds"], 25),
      stored: parseNumber(values["stored"], 1_000),
      against: values["against"] as string | undefined,
    });
  },
  chat: async (values) => {
    const { benchChat } = await import("../../../../bench/chat.ts");
    const [resumed = 10_000, searched = 100_000] = parseSizes(values["sizes"], "10000,100000");
    return benchChat({
      rounds: parseNumber(values["rounds"], 20),
      turns: parseNumber(values["turns"], 500),
      ...{ resumed, searched },
      say: (line: string) => void process.stderr.write(`${line}\n`),
    });
  },
  store: async (values) => {
    const { benchStore } = await import("../../../../bench/store.ts");
    const sizes = parseSizes(values["sizes"], "1000,100000,1000000");
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    const given = values["postgres"] as string | undefined;
    if (given !== undefined) return benchStore({ sizes, postgres: given, say });
    const local = await startLocalPostgres();
    try {
      return await benchStore({ sizes, postgres: local?.address ?? null, say });
    } finally {
      await local?.stop();
    }
  },
  queue: async (values) => {
    const worker = values["worker"] as string | undefined;
    if (worker !== undefined) {
      const { runQueueWorker } = await import("../../../../bench/queue-worker.ts");
      await runQueueWorker(JSON.parse(worker) as Parameters<typeof runQueueWorker>[0]);
      return { text: "" };
    }
    const { benchQueue } = await import("../../../../bench/queue.ts");
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    const tasks = parseNumber(values["tasks"], 5_000);
    const usual = { program: process.argv[1] ?? "", tasks, taskMs: 40, leaseMs: 5_000, kills: 8, stops: 8, say };
    const given = values["postgres"] as string | undefined;
    const local = given === undefined ? await startLocalPostgres() : null;
    const address = given === "none" ? null : (given ?? local?.address ?? null);
    const processes = parseNumber(values["processes"], 16);
    try {
      if (values["pgbouncer"] === true) {
        if (address === null) throw new OldhandError("usage", "--pgbouncer needs a PostgreSQL server");
        const { startBouncer } = await import("../../../../bench/pgbouncer.ts");
        const bouncer = await startBouncer(address);
        try {
          return { pgbouncer: await benchQueue({ ...usual, postgres: bouncer.address, processes }) };
        } finally {
          await bouncer.stop();
        }
      }
      return {
        postgres: address === null ? null : await benchQueue({ ...usual, postgres: address, processes }),
        sqlite: await benchQueue({ ...usual, postgres: null, processes: Math.max(2, Math.ceil(processes / 4)) }),
      };
    } finally {
      await local?.stop();
    }
  },
  run: async (values) => {
    const { benchRunMemory } = await import("../../../../bench/run-memory.ts");
    const seconds = parseNumber(values["seconds"], 600);
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    return benchRunMemory({ program: process.argv[1] ?? "", seconds, idleSeconds: Math.ceil(seconds / 4), say });
  },
  herd: async (values) => {
    const { benchHerd } = await import("../../../../bench/herd.ts");
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    const rounds = parseNumber(values["rounds"], 20);
    return withPostgres(values, (postgres) => benchHerd({ program: process.argv[1] ?? "", rounds, postgres, say }));
  },
  ingest: async (values) => {
    const { benchIngest } = await import("../../../../bench/ingest.ts");
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    return benchIngest({ megabytes: parseNumber(values["megabytes"], 200), say });
  },
  search: async (values) => {
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    const pairs = values["pairs"] as string | undefined;
    if (pairs !== undefined) return (await import("../../../../bench/recall-quality.ts")).benchRecall({ pairs, say });
    const { benchSearch } = await import("../../../../bench/search.ts");
    const minds = values["minds"] as string | undefined;
    if (values["speed"] !== true) return benchSearch({ data: values["data"] as string | undefined, minds, say });
    const { benchSearchSpeed } = await import("../../../../bench/search-speed.ts");
    const sizes = parseSizes(values["sizes"], "1000,10000,100000");
    const given = values["postgres"] as string | undefined;
    const local = given === undefined ? await startLocalPostgres() : null;
    try {
      return await benchSearchSpeed({
        sizes,
        graphSizes: parseSizes(values["graph-sizes"], "1000,5000,20000"),
        postgres: given === "none" ? null : (given ?? local?.address ?? null),
        say,
      });
    } finally {
      await local?.stop();
    }
  },
  memory: async (values) => {
    const { benchMemory } = await import("../../../../bench/memory.ts");
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    return benchMemory({
      data: values["data"] as string | undefined,
      prompts: values["prompts"] as string | undefined,
      history: values["fresh"] !== true,
      say,
    });
  },
  dashboard: async (values) => {
    const { benchDashboard } = await import("../../../../bench/dashboard.ts");
    const given = values["postgres"] as string | undefined;
    const local = given === "local" ? await startLocalPostgres() : null;
    try {
      return await benchDashboard({
        sizes: parseSizes(values["sizes"], "20000,300000,1000000"),
        rounds: parseNumber(values["rounds"], 5),
        postgres: given === "local" ? (local?.address ?? null) : (given ?? null),
        folder: (values["data"] as string | undefined) ?? null,
        say: (line: string) => void process.stderr.write(`${line}\n`),
      });
    } finally {
      await local?.stop();
    }
  },
  redact: async (values) => {
    const { findDataFolder, isFile, getUsualFolder } = await import("../../../../bench/data.ts");
    const { measureRedaction } = await import("../../../../bench/redaction.ts");
    const given = values["data"] as string | undefined;
    if (given !== undefined && isFile(given)) return measureRedaction(getUsualFolder(), given);
    return measureRedaction(findDataFolder(given, "secrets_dev.json.gz"));
  },
  router: async (values) => {
    const { benchRouter } = await import("../../../../bench/router.ts");
    const { findRouterFile } = await import("../../../../bench/router-data.ts");
    const file = findRouterFile(values["data"] as string | undefined, values["file"] as string | undefined);
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    return benchRouter({ file, splits: parseNumber(values["rounds"], 20), orders: 3, say });
  },
  gateway: async (values) => {
    const { benchGateway } = await import("../../../../bench/gateway.ts");
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    const given = values["postgres"] as string | undefined;
    const local = given === undefined ? await startLocalPostgres() : null;
    try {
      return await benchGateway({
        rounds: parseNumber(values["rounds"], 200),
        streams: 200,
        postgres: given === "none" ? null : (given ?? local?.address ?? null),
        say,
      });
    } finally {
      await local?.stop();
    }
  },
  outcomes: async (values) => {
    const { findDataFolder } = await import("../../../../bench/data.ts");
    const { measureOutcomes } = await import("../../../../bench/outcomes.ts");
    return measureOutcomes(findDataFolder(values["data"] as string | undefined, "README.md"));
  },
  mining: async (values) => {
    const { findDataFolder } = await import("../../../../bench/data.ts");
    const folder = findDataFolder(values["data"] as string | undefined, "README.md");
    const { formatFactTable, measureMining, formatMiningTable } = await import("../../../../bench/mining-split.ts");
    const { measureScale } = await import("../../../../bench/mining-scale.ts");
    const events = parseNumber(values["events"], 0);
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    const recorded = await measureMining(folder);
    for (const line of [...formatMiningTable(recorded), "", ...formatFactTable(recorded)]) say(line);
    if (values["recorded"] === true) return { recorded };
    const { measureMission } = await import("../../../../bench/mining-mission.ts");
    const { measureDeliveries } = await import("../../../../bench/mission-deliveries.ts");
    const { simulateProof } = await import("../../../../bench/proof-simulation.ts");
    return {
      recorded,
      mission: await measureMission({ days: parseNumber(values["days"], 60), silent: 20, seed: 7 }),
      deliveries: await measureDeliveries({ ...usualMission, seeds: 20 }),
      proof: simulateProof({ rules: 1_000, days: 90, seed: 7, ratios: [1, 0.25, 0.5, 0.75, 1.5, 2] }),
      null: simulateProof({ rules: 1_000, days: 90, seed: 11, ratios: [1] }),
      proofByCalls: simulateProof({
        rules: 1_000,
        days: 90,
        seed: 7,
        byCalls: true,
        ratios: [1, 0.25, 0.5, 0.75, 1.5, 2],
      }),
      scale: events === 0 ? null : await measureScale(folder, events, say),
    };
  },
  answers: async (values) => {
    const { findDataFolder } = await import("../../../../bench/data.ts");
    const { measureRecordedAnswers, formatRecordedAnswers } = await import("../../../../bench/answers-recorded.ts");
    const { formatDiskAnswers, measureDiskAnswers } = await import("../../../../bench/answers-disk.ts");
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    const recorded = measureRecordedAnswers(findDataFolder(values["data"] as string | undefined, "README.md"));
    for (const line of formatRecordedAnswers(recorded)) say(line);
    if (values["recorded"] === true) return { recorded };
    const disk = await measureDiskAnswers("report");
    for (const line of formatDiskAnswers(disk)) say(line);
    return { recorded, disk };
  },
  mission: async (values) => {
    const { formatDeliveryTable, measureDeliveries } = await import("../../../../bench/mission-deliveries.ts");
    const seeds = parseNumber(values["rounds"], 20);
    const usual = await measureDeliveries({ ...usualMission, seeds });
    const doubted = await measureDeliveries({ ...doubtedMission, seeds });
    const tables = [
      { mission: usualMission, measured: usual },
      { mission: doubtedMission, measured: doubted },
    ].map(
      ({ mission: { fails, obeys, believes }, measured }) =>
        `Rules are right ${formatShare(fails)} of the time; ${formatShare(obeys)} follow a hold, ${formatShare(believes)} follow a note given with the failure:\n\n${formatDeliveryTable(measured)}\n`,
    );
    return { usual, doubted, text: tables.join("\n") };
  },
};

async function benchServer(values: Readonly<Record<string, unknown>>, say: (line: string) => void): Promise<unknown> {
  const { benchHookServer } = await import("../../../../bench/hook-server.ts");
  const rounds = parseNumber(values["rounds"], 15);
  const against = values["against"] as string | undefined;
  const programs = { ...(against === undefined ? {} : { other: against }), this: process.argv[1] ?? "" };
  return withPostgres(values, (postgres) => benchHookServer({ programs, rounds, postgres, say }));
}

/** With the given server, or one that is started for the run. */
async function withPostgres<T>(
  values: Readonly<Record<string, unknown>>,
  measure: (address: string) => Promise<T>,
): Promise<T> {
  const given = values["postgres"] as string | undefined;
  const local = given === undefined ? await startLocalPostgres() : null;
  const address = given ?? local?.address;
  if (address === undefined)
    throw new OldhandError("usage", "this benchmark needs a PostgreSQL server", { hint: "--postgres ADDRESS" });
  try {
    return await measure(address);
  } finally {
    await local?.stop();
  }
}

/** What `mission` assumes about agents: for a rule that is nearly always right, and for a less certain one. */
const usualMission = { sessions: 40, fails: 0.95, obeys: 0.9, believes: 0.95 };
const doubtedMission = { sessions: 40, fails: 0.85, obeys: 0.6, believes: 0.95 };

function formatShare(of: number): string {
  return `${Math.round(100 * of)} %`;
}

export const benchCommand: CliCommand = {
  name: "bench",
  summary: "Runs benchmarks, each compared with its floor in the same run.",
  usage: `bench ${Object.keys(benchmarks).join("|")} [--data FOLDER]`,
  flags: [
    newFlag(
      "data",
      "string",
      "folder with the test data; search: also one file; redact: also one file of more secret formats; dashboard: folder that keeps its minds",
    ),
    newFlag(
      "rounds",
      "string",
      "hook, commands, dashboard, mission, gateway, herd: how often to run each case; router: how many splits",
    ),
    newFlag("file", "string", "router: another file of the same shape"),
    newFlag("events", "string", "mining: also distil a mind of this many events, such as 1000000"),
    newFlag("recorded", "boolean", "mining: only compare with naive mining on recorded sessions, by source"),
    newFlag("days", "string", "mining: how long the scripted agent works"),
    newFlag("faults", "boolean", "hook: measure with a store that is locked, missing, corrupt, full …"),
    newFlag(
      "moments",
      "boolean",
      "hook: measure how long a session waits at start, stop and end, also before the first mining",
    ),
    newFlag("server", "boolean", "hook: count whether rules arrive at the call with a PostgreSQL server far away"),
    newFlag("turns", "string", "chat: turns of the long session"),
    newFlag("stored", "string", "hook, commands: events in the small mind"),
    newFlag("full", "boolean", "hook: a million events in the large mind instead of 50,000"),
    newFlag(
      "against",
      "string",
      "hook, commands: the oldhand.cjs of another build, to compare with in the same rounds",
    ),
    newFlag("pairs", "string", "search: measure recall on the question pairs of this folder instead of session search"),
    newFlag("minds", "string", "search: folder that keeps its minds, so that the next run need not embed again"),
    newFlag("fresh", "boolean", "memory: as if no prompts had been recorded in the workspaces"),
    newFlag("prompts", "string", "memory: also send prompts that need no memory, from a file of JSON lines (`text`)"),
    newFlag("speed", "boolean", "search: measure speed instead of quality"),
    newFlag(
      "sizes",
      "string",
      "store, search --speed, dashboard: events or rows in each database, such as 1000,100000; chat: messages of the resumed session, and of those searched",
    ),
    newFlag("graph-sizes", "string", "search --speed: vectors in the pgvector index, such as 1000,5000"),
    newFlag("megabytes", "string", "ingest: amount of data to import"),
    newFlag("tasks", "string", "queue: how many tasks of 40 ms each phase has"),
    newFlag("processes", "string", "queue: worker processes on PostgreSQL; SQLite has a quarter of them"),
    newFlag("seconds", "string", "run: how long jobs are due each second; then a quarter of it nothing is due"),
    newFlag("pgbouncer", "boolean", "queue: through a pgbouncer of its own in transaction mode, on PostgreSQL only"),
    newFlag("worker", "string", "queue: used by the benchmark itself to start a worker process"),
    newFlag(
      "postgres",
      "string",
      "store, gateway, queue, herd, hook --server, search --speed: address of a PostgreSQL server, without a database; started if omitted; dashboard: the same, or local, instead of SQLite",
    ),
  ],
  words: 1,
  run: async ([name], values, globals) => {
    const measure = name === undefined ? undefined : benchmarks[name];
    if (!measure)
      throw new OldhandError("usage", name === undefined ? "which benchmark?" : `there is no benchmark ${name}`, {
        hint: `oldhand bench ${Object.keys(benchmarks).join("|")}`,
      });
    const report = await measure(values);
    const text = isRecord(report) && typeof report["text"] === "string" ? report["text"] : null;
    process.stdout.write(
      text !== null && !globals.json ? text : `${JSON.stringify(report, null, globals.json ? undefined : 2)}\n`,
    );
    return 0;
  },
};

function parseSizes(value: unknown, otherwise: string): readonly number[] {
  return String(value ?? otherwise)
    .split(",")
    .map((size) => parseNumber(size, 0));
}

function parseNumber(value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw new OldhandError("usage", `"${String(value)}" is not a whole number`);
  return number;
}

/**
 * Starts a server for the run if the development packages are installed. Otherwise PostgreSQL is left out, and the
 * report says so.
 */
async function startLocalPostgres() {
  const { startPostgres } = await import("../../../../bench/postgres.ts");
  return startPostgres().catch((error: unknown) => {
    process.stderr.write(`cannot start PostgreSQL: ${errorMessage(error)}\n`);
    return null;
  });
}
