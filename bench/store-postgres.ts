import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Store } from "../src/store/engine/db.ts";
import { appendEvents } from "../src/store/events/events.ts";
import { openStore } from "../src/store/open.ts";
import {
  INGEST_BATCH_SIZE,
  makeBlocks,
  makeEvents,
  type StoreDriver,
  type BenchMinds,
  makeOwnDriver,
  SESSION_PAGE_SIZE,
} from "./store-measures.ts";
import { makeInsertSql, toRowValues, selectSql } from "./store-sqlite.ts";

const pieces = {
  singleInserts: 50,
  batchedIngest: 2 * INGEST_BATCH_SIZE,
  eventById: 100,
  sessionPage: 30,
  failuresBySignature: 40,
};

export async function openPostgresBench(
  address: string,
  sizes: readonly number[],
  say: (line: string) => void,
): Promise<BenchMinds> {
  const run = `oldhand_bench_${randomUUID().slice(0, 8)}`;
  const admin = await client(`${address}/postgres`);
  const stores: Store[] = [];
  const floors: pg.Client[] = [];
  const of: BenchMinds["of"][number][] = [];
  for (const size of sizes) {
    say(`storing ${size} events`);
    await admin.query(`create database ${run}_ours_${size}`);
    const database = `${address}/${run}_ours_${size}`;
    const filling = await openStore({ database, busyMs: 10_000 });
    for (let from = 0; from < size; from += INGEST_BATCH_SIZE)
      await appendEvents(filling.db, makeEvents(from, Math.min(INGEST_BATCH_SIZE, size - from)));
    await filling.db.run("vacuum analyze events");
    // A database can be copied only while nobody is connected.
    await filling.close();
    await admin.query(`create database ${run}_floor_${size} template ${run}_ours_${size}`);
    const store = await openStore({ database, busyMs: 10_000 });
    stores.push(store);
    const floor = await client(`${address}/${run}_floor_${size}`);
    floors.push(floor);
    const ours = makeOwnDriver(store.db, (kept) => store.db.run("delete from events where id > ?", [kept]));
    of.push({ size, ours: makeBlocks(ours, size, pieces), floor: makeBlocks(makeFloorDriver(floor), size, pieces) });
  }
  return {
    of,
    pieces,
    say,
    remove: async () => {
      for (const store of stores) await store.close();
      for (const floor of floors) await floor.end();
      for (const size of sizes) {
        for (const side of ["ours", "floor"])
          await admin.query(`drop database if exists ${run}_${side}_${size} with (force)`);
      }
      await admin.end();
    },
  };
}

/** The simplest code that does the work: one connection, prepared statements, raw rows. */
function makeFloorDriver(db: pg.Client): StoreDriver {
  const place = (i: number) => `$${i}`;
  const ask = (name: string, text: string) => (values: unknown[]) => db.query({ name, text, values });
  const insert = ask("insert", makeInsertSql(place));
  const insertBatch = ask("batch", makeInsertSql(place, INGEST_BATCH_SIZE));
  const byId = ask("by id", `${selectSql} where id = $1`);
  const page = ask(
    "page",
    `${selectSql} where session = $1 and host = $2 and seq > $3 order by seq limit ${SESSION_PAGE_SIZE}`,
  );
  const failures = ask(
    "failures",
    `${selectSql} where signature = $1 and outcome = 'failed' and benign = 0 order by id desc limit 20`,
  );
  return {
    insert: (event) => insert(toRowValues(event)),
    ingest: (batch) => insertBatch(batch.flatMap(toRowValues)),
    byId: (id) => byId([id]),
    page: (session) => page([session, "claude-code", -1]),
    failures: (signature) => failures([signature]),
    reset: (size) => db.query("delete from events where id > $1", [size]),
  };
}

async function client(connectionString: string): Promise<pg.Client> {
  const made = new pg.Client({ connectionString });
  await made.connect();
  return made;
}
