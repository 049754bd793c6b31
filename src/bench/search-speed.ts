import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedder } from "../models/embedder.ts";
import { searchPassages } from "../search/search-passages.ts";
import type { Db, Store } from "../store/db.ts";
import { openStore } from "../store/open.ts";
import { putPassages } from "../store/passages.ts";
import { connect } from "../store/sqlite/engine.ts";
import { median, rounded } from "./floor.ts";

const DIMS = 384;
const BATCH = 1_000;
/** Milliseconds within which 95 of 100 questions are answered by words, at the largest size. */
const WORDS_P95 = 10;
const ROUNDS = 3;

interface Times {
  readonly p50: number;
  readonly p95: number;
}

interface SizeReport {
  readonly rows: number;
  readonly words: Times;
  /** The same questions as plain FTS5 is asked them: all words, joined by OR. */
  readonly plainFts5: Times;
  readonly wordsToPlain: number;
  /** With the question's embedding. */
  readonly everything: Times;
  /** The question's embedding and a scan of the same vectors as floats, in plain JavaScript. */
  readonly plainScan: Times;
  readonly everythingToScan: number;
}

export interface SpeedReport {
  readonly embedder: string;
  readonly sqlite: readonly SizeReport[];
  readonly postgres: readonly { readonly rows: number; readonly words: Times; readonly everything: Times }[];
  readonly met: boolean;
}

export interface SpeedOptions {
  readonly sizes: readonly number[];
  /** A server's address without a database, or null. */
  readonly postgres: string | null;
  readonly say: (line: string) => void;
}

/** How long a question takes in a process that lives, among memory-sized texts, beside the plainest code that does the same. */
export async function benchSearchSpeed({ sizes, postgres, say }: SpeedOptions): Promise<SpeedReport> {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-"));
  const { embedder } = openEmbedder({});
  const embed = embedder
    ? async (text: string) => (await embedder.embed([text]))[0] as Int8Array
    : async (text: string) => madeVector(text.length);
  const sqlite: SizeReport[] = [];
  try {
    for (const rows of sizes) {
      say(`SQLite: ${rows} texts`);
      const store = await openStore({ database: join(dir, `${rows}.db`), busyMs: 10_000 });
      await fill(store, rows);
      sqlite.push(await measure(store.db, rows, embed));
      await store.close();
    }
    const onServer = postgres === null ? [] : [await measureServer(postgres, Math.max(...sizes), embed, say)];
    const last = sqlite.at(-1);
    return {
      embedder: embedder?.model ?? "none: vectors are made up",
      sqlite,
      postgres: onServer,
      met: last !== undefined && last.words.p95 < WORDS_P95 && last.everythingToScan <= 1,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

type Embed = (text: string) => Promise<Int8Array>;

async function measure(db: Db, rows: number, embed: Embed): Promise<SizeReport> {
  const plain = plainFts5(rows);
  const scan = plainScan(rows);
  const embedder = { model: "made", embed: async (texts: readonly string[]) => Promise.all(texts.map(embed)) };
  const asked = (query: string, by: "words" | "everything") =>
    searchPassages({ db, embedder }, { noun: "bench", query, limit: 10, by });
  const times = await inTurns(
    {
      words: (query) => asked(query, "words"),
      plainFts5: async (query) => plain.search(query),
      everything: (query) => asked(query, "everything"),
      plainScan: async (query) => scan(await embed(query)),
    },
    questions(),
  );
  plain.close();
  return {
    rows,
    words: spread(times.words),
    plainFts5: spread(times.plainFts5),
    wordsToPlain: ratio(times.words, times.plainFts5),
    everything: spread(times.everything),
    plainScan: spread(times.plainScan),
    everythingToScan: ratio(times.everything, times.plainScan),
  };
}

async function measureServer(address: string, rows: number, embed: Embed, say: (line: string) => void) {
  say(`PostgreSQL: ${rows} texts`);
  const { default: pg } = await import("pg");
  const admin = new pg.Client({ connectionString: `${address}/postgres` });
  await admin.connect();
  const name = `search_${process.pid}`;
  await admin.query(`create database ${name}`);
  const store = await openStore({ database: `${address}/${name}`, busyMs: 10_000 });
  try {
    await fill(store, rows);
    await store.db.run("analyze");
    const embedder = { model: "made", embed: async (texts: readonly string[]) => Promise.all(texts.map(embed)) };
    const asked = (query: string, by: "words" | "everything") =>
      searchPassages({ db: store.db, embedder }, { noun: "bench", query, limit: 10, by });
    const times = await inTurns(
      { words: (query) => asked(query, "words"), everything: (query) => asked(query, "everything") },
      questions(),
    );
    return { rows, words: spread(times.words), everything: spread(times.everything) };
  } finally {
    await store.close();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

async function inTurns<Name extends string>(
  acts: Readonly<Record<Name, (query: string) => Promise<unknown>>>,
  asked: readonly string[],
): Promise<Record<Name, number[]>> {
  const names = Object.keys(acts) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) for (const query of asked.slice(0, 5)) await acts[name](query);
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of asked) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const begun = performance.now();
        await acts[name](query);
        times[name].push(performance.now() - begun);
      }
    }
  }
  return times;
}

async function fill(store: Store, rows: number): Promise<void> {
  const vectors = await store.db.dialect.vectors();
  for (let from = 0; from < rows; from += BATCH) {
    const some = Array.from({ length: Math.min(BATCH, rows - from) }, (_, at) => from + at);
    await putPassages(
      store.db,
      some.map((n) => ({ noun: "bench", subject: `m${n}`, scope: "global", text: madeText(n) })),
    );
    await vectors.put(
      store.db,
      some.map((n) => ({ noun: "bench", subject: `m${n}`, model: "made", dims: DIMS, vector: madeVector(n) })),
    );
  }
}

function plainFts5(rows: number) {
  const db = connect(":memory:");
  db.exec("create virtual table plain using fts5 (text, tokenize = 'porter unicode61')");
  const insert = db.prepare("insert into plain (rowid, text) values (?, ?)");
  db.exec("begin");
  for (let n = 0; n < rows; n++) insert.run(n, madeText(n));
  db.exec("commit");
  const select = db.prepare("select rowid as id from plain where plain match ? order by bm25(plain) limit 10");
  return {
    search: (query: string) =>
      select.all(
        query
          .split(" ")
          .map((word) => `"${word}"`)
          .join(" OR "),
      ),
    close: () => db.close(),
  };
}

function plainScan(rows: number): (query: Int8Array) => readonly number[] {
  const matrix = new Float32Array(rows * DIMS);
  for (let n = 0; n < rows; n++) matrix.set(madeVector(n), n * DIMS);
  return (query) => {
    const scores = new Float32Array(rows);
    for (let n = 0; n < rows; n++) {
      let sum = 0;
      const from = n * DIMS;
      for (let d = 0; d < DIMS; d++) sum += (matrix[from + d] as number) * (query[d] as number);
      scores[n] = sum;
    }
    return [...scores.keys()].toSorted((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, 10);
  };
}

const VOCABULARY = 20_000;
const TEXT_WORDS = 30;

/** The same for the same number, everywhere. */
function chance(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0;
    return state / 2 ** 32;
  };
}

/** Words as often as they are in language: a few everywhere, most almost nowhere. */
function madeWord(draw: number): string {
  const rank = Math.floor(VOCABULARY ** draw);
  const letters = "bcdfghjklmnpqrstvwxz";
  let word = "";
  for (let left = rank + 400; left > 0; left = Math.floor(left / 100))
    word += `${letters[left % 20]}${"aeiou"[Math.floor(left / 20) % 5]}`;
  return word;
}

function madeText(n: number): string {
  const next = chance(n + 1);
  return Array.from({ length: TEXT_WORDS }, () => madeWord(next())).join(" ");
}

function madeVector(n: number): Int8Array {
  const next = chance(n + 77);
  return Int8Array.from({ length: DIMS }, () => Math.round(next() * 254 - 127));
}

/** Words as people ask for them: some rare, some common. */
function questions(): readonly string[] {
  return Array.from({ length: 60 }, (_, n) => {
    const next = chance(n + 1_000_003);
    return Array.from({ length: 3 + (n % 4) }, () => madeWord(next())).join(" ");
  });
}

function spread(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: rounded(median(sorted)), p95: rounded(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN) };
}

function ratio(ours: readonly number[], floor: readonly number[]): number {
  return rounded(median(ours) / median(floor));
}
