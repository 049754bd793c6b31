import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../src/config.ts";
import { fixedClock } from "../src/lib/clock.ts";
import { openEmbedder } from "../src/models/open-embedder.ts";
import { composeAtPrompt } from "../src/recall/at-prompt.ts";
import { recall } from "../src/recall/memory/recall.ts";
import type { QueryEmbedder } from "../src/search/semantic-scores.ts";
import type { Db } from "../src/store/engine/db.ts";
import { openStore } from "../src/store/open.ts";
import { type BootReport, benchBoot } from "./boot-speed.ts";
import { median, roundTo } from "./floor.ts";
import { benchNeighbourGraph, type GraphReport } from "./graph-speed.ts";
import { measureInTurns, type Measured, summariseTimes, type Times } from "./measure-in-turns.ts";
import { fillWithMemories, BENCH_WORKSPACE, MADE_MODEL, makeQueries, makeVector, NOW } from "./made-memories.ts";
import { openPlainScan, openPlainWords } from "./plain-search.ts";

/** Milliseconds within which 95 % of queries must be answered by words, at the largest size. */
const WORDS_P95 = 10;

interface SizeReport {
  readonly memories: number;
  /** `recall` of memories, including the uses it records. */
  readonly words: Times;
  /** The same queries on plain FTS5: all words, joined by OR. */
  readonly plainFts5: Times;
  readonly wordsToPlain: number;
  /** The same with the query's embedding. */
  readonly everything: Times;
  /** The query's embedding and a plain scan of the same vectors. */
  readonly plainScan: Times;
  readonly everythingToScan: number;
  /**
   * What a prompt gets (`atPrompt`): by words as in a command hook, and also by meaning as in a long-running process.
   */
  readonly promptByWords: Times;
  readonly promptByMeaning: Times;
}

/** The growth of the median time between two sizes, and its ratio to the growth of the logarithm of the size. */
interface TimeGrowth {
  readonly from: number;
  readonly to: number;
  readonly times: number;
  readonly toLogarithm: number;
}

interface ServerReport {
  readonly memories: number;
  readonly words: Times;
  readonly everything: Times;
}

export interface SpeedReport {
  readonly embedder: string;
  readonly scan: string;
  readonly sqlite: readonly SizeReport[];
  readonly wordsGrowth: readonly TimeGrowth[];
  readonly promptGrowth: readonly TimeGrowth[];
  readonly boot: BootReport;
  /** Exact search, on a server without pgvector. */
  readonly postgres: readonly ServerReport[];
  /** With pgvector's index, in PGlite; null if it is not installed. */
  readonly graph: (GraphReport & { readonly growth: readonly TimeGrowth[] }) | null;
  readonly met: boolean;
}

export interface SpeedOptions {
  readonly sizes: readonly number[];
  /** Sizes for pgvector's index, which is slow to build. */
  readonly graphSizes: readonly number[];
  /** A server address without a database name, or null. */
  readonly postgres: string | null;
  readonly say: (line: string) => void;
}

/** Measures recall in a long-running process, compared with the simplest code that does the same on the same rows. */
export async function benchSearchSpeed(options: SpeedOptions): Promise<SpeedReport> {
  const { sizes, say } = options;
  const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  const { embedder } = openEmbedder({});
  // The query is really embedded, under the model name of the generated vectors so that it is compared with them.
  const made: QueryEmbedder = {
    model: MADE_MODEL,
    embed: embedder
      ? (texts) => embedder.embed(texts)
      : async (texts) => texts.map((text) => makeVector(-text.length - 1)),
  };
  const sqlite: SizeReport[] = [];
  let scan = "";
  let boot: BootReport | undefined;
  try {
    for (const memories of sizes) {
      say(`SQLite: ${memories} memories`);
      const store = await openStore({ database: join(dir, `${memories}.db`), busyMs: 10_000 });
      await fillWithMemories(store, memories);
      const measured = await measure(store.db, memories, made);
      scan = measured.scan;
      sqlite.push(measured.report);
      say(JSON.stringify(measured.report));
      if (memories === Math.max(...sizes)) boot = await benchBoot(store, dir, say);
      await store.close();
    }
    const postgres =
      options.postgres === null ? [] : [await measureServer(options.postgres, Math.max(...sizes), made, say)];
    const graph = await benchNeighbourGraph(options.graphSizes, say);
    const last = sqlite.at(-1);
    if (boot === undefined || last === undefined) throw new Error("there is no size to measure");
    return {
      embedder: embedder?.model ?? "none: vectors are made up",
      scan,
      sqlite,
      wordsGrowth: computeGrowth(sqlite.map((one) => ({ rows: one.memories, p50: one.words.p50 }))),
      promptGrowth: computeGrowth(sqlite.map((one) => ({ rows: one.memories, p50: one.promptByMeaning.p50 }))),
      boot,
      postgres,
      graph: graph && {
        ...graph,
        growth: computeGrowth(graph.sizes.map((one) => ({ rows: one.vectors, p50: one.search.p50 }))),
      },
      met: last.words.p95 < WORDS_P95 && last.everythingToScan <= 1 && boot.met,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(db: Db, memories: number, embedder: QueryEmbedder) {
  const plain = openPlainWords(memories);
  const scan = await openPlainScan(memories);
  const search = makeSearch(db);
  const prompted = prompter(db);
  const times = await measureInTurns(
    {
      words: (query) => search(query, null),
      promptByWords: (query) => prompted(query, null),
      promptByMeaning: (query) => prompted(query, embedder),
      plainFts5: async (query) => plain.search(query),
      everything: (query) => search(query, embedder),
      plainScan: async (query) => scan.nearest((await embedder.embed([query]))[0] as Int8Array),
    },
    makeQueries(),
  );
  plain.close();
  scan.close();
  const report: SizeReport = {
    memories,
    words: summariseTimes(times.words),
    plainFts5: summariseTimes(times.plainFts5),
    wordsToPlain: ratio(times.words, times.plainFts5),
    everything: summariseTimes(times.everything),
    plainScan: summariseTimes(times.plainScan),
    everythingToScan: ratio(times.everything, times.plainScan),
    promptByWords: summariseTimes(times.promptByWords),
    promptByMeaning: summariseTimes(times.promptByMeaning),
  };
  return { report, scan: scan.name };
}

function makeSearch(db: Db) {
  const viewer = { workspace: BENCH_WORKSPACE };
  return (query: string, embedder: QueryEmbedder | null) =>
    recall(
      { db, models: { embedder: async () => embedder } },
      { query, viewer, tiers: ["semantic"], limit: 10, now: NOW },
    );
}

function prompter(db: Db) {
  const config = loadConfig({ home: tmpdir(), env: {} });
  const to = {
    host: "claude-code",
    session: "prompts",
    workspace: BENCH_WORKSPACE,
    model: null,
    maxCharacters: 100_000,
  };
  return (prompt: string, embedder: QueryEmbedder | null) =>
    composeAtPrompt({ db, config, clock: fixedClock(NOW), models: { embedder: async () => embedder } }, to, {
      prompt,
      shown: { parts: new Set(), tokens: 0 },
    });
}

async function measureServer(
  address: string,
  memories: number,
  embedder: QueryEmbedder,
  say: (line: string) => void,
): Promise<ServerReport> {
  say(`PostgreSQL: ${memories} memories`);
  const { default: pg } = await import("pg");
  const admin = new pg.Client({ connectionString: `${address}/postgres` });
  await admin.connect();
  const name = `search_${process.pid}`;
  await admin.query(`create database ${name}`);
  const store = await openStore({ database: `${address}/${name}`, busyMs: 10_000 });
  try {
    await fillWithMemories(store, memories);
    await store.db.run("vacuum analyze");
    const search = makeSearch(store.db);
    const times = await measureInTurns(
      { words: (query) => search(query, null), everything: (query) => search(query, embedder) },
      makeQueries(),
    );
    return { memories, words: summariseTimes(times.words), everything: summariseTimes(times.everything) };
  } finally {
    await store.close();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

function ratio(ours: Measured, floor: Measured): number {
  return roundTo(median(ours.wall) / median(floor.wall));
}

function computeGrowth(sizes: readonly { readonly rows: number; readonly p50: number }[]): readonly TimeGrowth[] {
  const [first, ...others] = sizes;
  if (!first) return [];
  return others.map(({ rows, p50 }) => {
    const times = p50 / first.p50;
    const logarithm = Math.log(rows) / Math.log(first.rows);
    return { from: first.rows, to: rows, times: roundTo(times), toLogarithm: roundTo(times / logarithm) };
  });
}
