import type pg from "pg";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { Db } from "../../src/store/engine/db.ts";
import type { WorkItems } from "../../src/store/engine/queue.ts";
import { bossItems } from "../../src/store/postgres/boss-items.ts";
import { postgresDb } from "../../src/store/postgres/db.ts";
import { migrate } from "../../src/store/postgres/migrate.ts";
import { openBoss } from "../../src/store/postgres/open-boss.ts";
import { openSqlite } from "../../src/store/sqlite/open.ts";
import { sqliteItems } from "../../src/store/sqlite/queue.ts";
import { SLOT_QUEUE } from "../../src/work/jobs/slot-items.ts";
import type { Simulation } from "../core/simulation.ts";

export const SIM_QUEUE = "work";

/** A real engine of the queue, used by one run after another. */
export interface SimEngine {
  readonly name: "sqlite" | "postgres";
  readonly db: Db;
  /** Empties it. From now on its calls count as the run's, and its time is this clock's. */
  begin(sim: Simulation, clock: Clock): Promise<void>;
  items(clock: Clock): WorkItems;
  close(): Promise<void>;
}

const TABLES = [
  "create table sim_work (item text primary key, last_attempt integer not null)",
  "create table sim_records (item text not null, attempt integer not null, worker text not null, kind text not null)",
];
const ALL = ["sim_work", "sim_records", "claims", "jobs", "job_states", "job_slots", "alerts", "workers", "pauses"];

export async function openSimSqlite(): Promise<SimEngine> {
  const { db } = await openSqlite({ path: ":memory:", busyMs: 0 });
  for (const sql of TABLES) await db.run(sql);
  return {
    name: "sqlite",
    db,
    begin: async () => {
      for (const table of [...ALL, "queue_items"]) await db.run(`delete from ${table}`);
    },
    items: sqliteItems,
    close: () => db.close(),
  };
}

/** One connection to a PostgreSQL: PGlite in this process, or a server. */
export interface SimConnection {
  query(text: string, values: readonly unknown[] | undefined, name: string | undefined): Promise<SimResult>;
  close(): Promise<void>;
}

interface SimResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

const SCHEMA = "oldhand_queue";
const PLACE = { place: "the simulated server", connection: "", schema: null, throughPooler: false };

/** The real pg-boss and the real SQL. Only the time is replaced. */
export async function openSimPostgres(connection: SimConnection): Promise<SimEngine> {
  let track: Simulation["track"] = (call) => call();
  let clock: Clock = systemClock;
  let isSet = false;
  const query = (given: string | pg.QueryConfig, more?: readonly unknown[]) => {
    const { text, values, name } = typeof given === "string" ? { text: given, values: more, name: undefined } : given;
    // All of pg-boss's statements, and ours beside them, read the time from this one function.
    const timed = !isSet ? text : text.replaceAll(`${SCHEMA}.job_now()`, () => `to_timestamp(${clock.now() / 1_000})`);
    return track(() => connection.query(timed, values, timed === text ? name : undefined));
  };
  const client = { query, release: () => {} };
  const pool = { query, connect: async () => client, end: async () => {} } as unknown as pg.Pool;
  await migrate(pool, PLACE);
  const db = postgresDb(pool, { place: PLACE.place, prepare: true });
  const raw = {
    executeSql: async (text: string, values?: unknown[]) => ({ rows: [...(await query(text, values)).rows] }),
  };
  const boss = await openBoss(raw, SCHEMA, { place: PLACE.place, queues: [SIM_QUEUE, SLOT_QUEUE] });
  for (const sql of TABLES) await db.run(sql);
  return {
    name: "postgres",
    db,
    begin: async (sim, given) => {
      ({ track } = sim);
      clock = given;
      isSet = true;
      for (const table of [...ALL, `${SCHEMA}.job`]) await db.run(`delete from ${table}`);
    },
    items: () => bossItems(boss, SCHEMA),
    close: async () => {
      track = (call) => call();
      await boss.stop({ graceful: false, close: false });
      await connection.close();
    },
  };
}
