import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/lib/clock.ts";
import { sleep } from "../src/lib/sleep.ts";
import { openQueue } from "../src/store/open-queue.ts";
import type { Db } from "../src/store/engine/db.ts";
import type { Queue } from "../src/store/engine/queue.ts";
import { openStore } from "../src/store/open.ts";
import { roundTo } from "./floor.ts";
import { type Fleet, startFleet } from "./queue-fleet.ts";
import { BENCH_QUEUE } from "./queue-worker.ts";

export interface QueueBenchOptions {
  /** The built program; its workers are processes of their own. */
  readonly program: string;
  readonly tasks: number;
  readonly taskMs: number;
  readonly leaseMs: number;
  /** A server address without a database, or null for SQLite; `?pooler=transaction` may follow. */
  readonly postgres: string | null;
  readonly processes: number;
  readonly kills: number;
  readonly stops: number;
  readonly say?: (line: string) => void;
}

export interface QueueReport {
  readonly store: "sqlite" | "postgres";
  readonly processes: number;
  readonly tasks: number;
  /** Tasks per second without trouble, and of a plain loop in the same run. */
  readonly perSecond: { readonly ours: number; readonly plain: number; readonly ratio: number };
  /** From asking for work to its start. */
  readonly claimToStartMs: Percentiles;
  /** From the commit of new work to its start, by workers that waited. */
  readonly enqueueToStartMs: Percentiles;
  readonly trouble: {
    readonly kills: number;
    readonly stops: number;
    /** From the kill or stop to the next start of the same work. */
    readonly recoveryMs: Percentiles;
    readonly leaseMs: number;
    readonly recordedOnce: number;
    readonly recordedTwice: number;
    readonly lost: number;
    readonly seconds: number;
  };
  /** The load of the machine, at the start and at the end. */
  readonly load: readonly [number, number];
}

interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
}

/** Many processes on one queue: how fast it drains beside a plain loop, and what it keeps when workers are killed and stopped. */
export async function benchQueue(options: QueueBenchOptions): Promise<QueueReport> {
  const say = options.say ?? (() => {});
  const place = await newPlace(options.postgres);
  const store = await openStore({ database: place.database, busyMs: 20_000 });
  const queue = await openQueue(store, { queues: [BENCH_QUEUE], clock: systemClock });
  const load = loadavg()[0] ?? 0;
  const fleet = (kind: "ours" | "plain") => startFleet({ ...options, kind, database: place.database });
  try {
    await createTables(store.db);
    say("ours, without trouble");
    const calm = await fleet("ours");
    const ours = await drain(store.db, queue, options.tasks, "calm");
    say("work for idle workers");
    const idle = await measureIdle(store.db, queue, calm);
    await calm.stop();
    say("a plain loop");
    const plainFleet = await fleet("plain");
    const plain = await drainPlain(store.db, options.tasks);
    await plainFleet.stop();
    say("ours, with workers killed and stopped");
    const troubled = await fleet("ours");
    const trouble = troubled.makeTrouble(options);
    const seconds = await drain(store.db, queue, options.tasks, "troubled");
    await trouble.end();
    await troubled.stop();
    return {
      store: store.kind,
      processes: options.processes,
      tasks: options.tasks,
      perSecond: {
        ours: roundTo(options.tasks / ours, 0),
        plain: roundTo(options.tasks / plain, 0),
        ratio: roundTo(plain / ours),
      },
      claimToStartMs: percentiles(calm.starts().map((one) => one.waitedMs)),
      enqueueToStartMs: percentiles(idle),
      trouble: {
        ...{ kills: trouble.kills(), stops: trouble.stops(), leaseMs: options.leaseMs, seconds: roundTo(seconds, 1) },
        recoveryMs: percentiles(troubled.recoveries()),
        ...(await countRecords(store.db, options.tasks)),
      },
      load: [roundTo(load, 1), roundTo(loadavg()[0] ?? 0, 1)],
    };
  } finally {
    await queue.close();
    await store.close();
    await place.remove();
  }
}

async function createTables(db: Db): Promise<void> {
  await db.run("create table bench_records (item text not null, attempt integer not null, worker text not null)");
  await db.run("create table bench_plain (item text primary key, state text not null)");
  await db.run("create index bench_plain_open on bench_plain (item) where state = 'waiting'");
}

/** Seconds from the first new task until the last one ended. */
async function drain(db: Db, queue: Queue, tasks: number, name: string): Promise<number> {
  const before = await queue.counts(BENCH_QUEUE);
  const begin = performance.now();
  for (let from = 0; from < tasks; from += 20)
    await db.tx(async (tx) => {
      for (let n = from; n < Math.min(tasks, from + 20); n++)
        await queue.enqueue(tx, { queue: BENCH_QUEUE, item: `${name}-${n}`, attempt: 1, lastAttempt: 50 });
    });
  for (;;) {
    const { done, dead } = await queue.counts(BENCH_QUEUE);
    if (done + dead - before.done - before.dead >= tasks) return (performance.now() - begin) / 1_000;
    await sleep(50);
  }
}

async function drainPlain(db: Db, tasks: number): Promise<number> {
  const begin = performance.now();
  const rows = Array.from({ length: tasks }, (_, n) => [`plain-${n}`, "waiting"]);
  await db.insertMany({ table: "bench_plain", columns: ["item", "state"] }, rows);
  for (;;) {
    const row = await db.get<{ count: number }>("select count(*) as count from bench_plain where state = 'done'");
    if (row?.count === tasks) return (performance.now() - begin) / 1_000;
    await sleep(50);
  }
}

const IDLE_TASKS = 40;

async function measureIdle(db: Db, queue: Queue, fleet: Fleet): Promise<readonly number[]> {
  const enqueuedAt = new Map<string, number>();
  for (let n = 0; n < IDLE_TASKS; n++) {
    const item = `idle-${n}`;
    await db.tx((tx) => queue.enqueue(tx, { queue: BENCH_QUEUE, item, attempt: 1, lastAttempt: 50 }));
    enqueuedAt.set(item, systemClock.now());
    await sleep(120);
  }
  while (!fleet.starts().some((one) => one.item === `idle-${IDLE_TASKS - 1}`)) await sleep(50);
  return fleet.starts().flatMap((one) => {
    const at = enqueuedAt.get(one.item);
    return at === undefined ? [] : [Math.max(0, one.at - at)];
  });
}

async function countRecords(db: Db, tasks: number) {
  const rows = await db.all<{ count: number }>(
    "select count(*) as count from bench_records where item like 'troubled-%' group by item",
  );
  return {
    recordedOnce: rows.filter(({ count }) => count === 1).length,
    recordedTwice: rows.filter(({ count }) => count > 1).length,
    lost: tasks - rows.length,
  };
}

function percentiles(numbers: readonly number[]): Percentiles {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share: number) => roundTo(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0, 0);
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), most: roundTo(sorted.at(-1) ?? 0, 0) };
}

async function newPlace(postgres: string | null): Promise<{ readonly database: string; remove(): Promise<void> }> {
  if (postgres === null) {
    const dir = mkdtempSync(join(tmpdir(), "oldhand-bench-queue-"));
    return { database: join(dir, "mind.db"), remove: async () => rmSync(dir, { recursive: true, force: true }) };
  }
  const name = `bench_${randomUUID().replaceAll("-", "")}`;
  const withDatabase = (database: string) => {
    const url = new URL(postgres);
    url.pathname = `/${database}`;
    return url.toString();
  };
  await runAlone(withDatabase("postgres"), `create database ${name}`);
  return {
    database: withDatabase(name),
    remove: () => runAlone(withDatabase("postgres"), `drop database if exists ${name} with (force)`),
  };
}

async function runAlone(address: string, sql: string): Promise<void> {
  const { default: pg } = await import("pg");
  const url = new URL(address);
  url.search = "";
  const client = new pg.Client({ connectionString: url.toString() });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
