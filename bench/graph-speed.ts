import { errorMessage } from "../src/lib/errors.ts";
import type { Db } from "../src/store/engine/db.ts";
import { openStore } from "../src/store/open.ts";
import { measureInTurns, summariseTimes, type Times } from "./measure-in-turns.ts";
import { DIMS, MADE_MODEL, makeVector } from "./made-memories.ts";

const BATCH = 500;
const QUERIES = 40;
const BEST = 10;

export interface GraphReport {
  readonly sizes: readonly {
    readonly vectors: number;
    readonly search: Times;
    /** An exact scan of the same rows on the server. */
    readonly exact: Times;
    /** Share of the ten nearest rows that the index finds, in percent. */
    readonly recallAtTen: number;
  }[];
}

/**
 * Measures pgvector's index in PGlite, the only server with pgvector on npm. It runs in WebAssembly, so only ratios
 * count.
 */
export async function benchNeighbourGraph(
  sizes: readonly number[],
  say: (line: string) => void,
): Promise<GraphReport | null> {
  const server = await startPgvector().catch((error: unknown) => {
    say(`no PostgreSQL with pgvector: ${errorMessage(error)}`);
    return null;
  });
  if (server === null) return null;
  const measured: GraphReport["sizes"][number][] = [];
  const store = await openStore({ database: server.database, busyMs: 60_000 });
  try {
    let from = 0;
    for (const vectors of sizes) {
      say(`PostgreSQL with pgvector: ${vectors} vectors`);
      await fill(store.db, from, vectors);
      from = vectors;
      await store.db.run("analyze vectors");
      measured.push({ vectors, ...(await measure(store.db)) });
    }
    return { sizes: measured };
  } finally {
    await store.close();
    await server.stop();
  }
}

async function fill(db: Db, from: number, upTo: number): Promise<void> {
  const vectors = await db.dialect.vectors();
  for (let at = from; at < upTo; at += BATCH)
    await vectors.put(
      db,
      Array.from({ length: Math.min(BATCH, upTo - at) }, (_, n) => ({
        noun: "memory",
        subject: `m${at + n}`,
        model: MADE_MODEL,
        dims: DIMS,
        vector: makeVector(at + n),
      })),
    );
}

async function measure(db: Db) {
  const vectors = await db.dialect.vectors();
  const options = { noun: "memory", model: MADE_MODEL, k: BEST };
  const search = async (n: number) =>
    (await vectors.compare(db, makeVector(n), options)).best.map((one) => one.subject);
  const exact = async (n: number) => {
    const rows = await db.all<{ subject: string }>(
      `select subject from vectors where noun = 'memory' and model = ?
       order by (embedding <=> cast(? as vector)) + 0 limit ${BEST}`,
      [MADE_MODEL, `[${makeVector(n).join(",")}]`],
    );
    return rows.map((row) => row.subject);
  };
  const questions = Array.from({ length: QUERIES }, (_, n) => -n - 1);
  let found = 0;
  for (const n of questions) {
    const truth = new Set(await exact(n));
    found += (await search(n)).filter((subject) => truth.has(subject)).length;
  }
  const times = await measureInTurns({ search, exact }, questions);
  return {
    search: summariseTimes(times.search),
    exact: summariseTimes(times.exact),
    recallAtTen: Math.round((1_000 * found) / (QUERIES * BEST)) / 10,
  };
}

/** PGlite has one backend, hence one connection and no named statements. */
async function startPgvector() {
  const { PGlite } = await import("@electric-sql/pglite");
  const { vector } = await import("@electric-sql/pglite-pgvector");
  const { PGLiteSocketServer } = await import("@electric-sql/pglite-socket");
  const lite = await PGlite.create({ extensions: { vector } });
  const server = new PGLiteSocketServer({ db: lite, host: "127.0.0.1", port: 0 });
  const listening = new Promise<number>((resolve) => {
    server.addEventListener("listening", (event) => resolve((event as CustomEvent<{ port: number }>).detail.port));
  });
  await server.start();
  return {
    database: `postgres://postgres:postgres@127.0.0.1:${await listening}/postgres?pooler=transaction`,
    stop: async () => {
      await server.stop();
      await lite.close();
    },
  };
}
