import { systemClock } from "../src/lib/clock.ts";
import { sleep } from "../src/lib/sleep.ts";
import { openQueue } from "../src/store/open-queue.ts";
import type { Db, Store } from "../src/store/engine/db.ts";
import { openStore } from "../src/store/open.ts";
import { workQueue } from "../src/work/work-queue.ts";

export interface QueueWorkerJob {
  readonly kind: "ours" | "plain";
  readonly database: string;
  readonly taskMs: number;
  readonly leaseMs: number;
  readonly id: string;
}

export const BENCH_QUEUE = "bench";

/** A worker process of the benchmark. Prints each start as a line: item, attempt, time, milliseconds since it asked. */
export async function runQueueWorker(job: QueueWorkerJob): Promise<void> {
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort());
  const store = await openStore({ database: job.database, busyMs: 20_000 });
  process.stdout.write("ready\n");
  await (job.kind === "ours" ? workOurs(store, job, stop.signal) : workPlain(store.db, job, stop.signal));
  await store.close();
}

async function workOurs(store: Store, job: QueueWorkerJob, signal: AbortSignal): Promise<void> {
  const queue = await openQueue(store, { queues: [BENCH_QUEUE], clock: systemClock });
  let askedAt = 0;
  await workQueue({
    db: store.db,
    queue: {
      ...queue,
      claim: (name, worker) => {
        askedAt = performance.now();
        return queue.claim(name, worker);
      },
    },
    names: [BENCH_QUEUE],
    // A name of another machine: then a killed worker's work returns only when its lease ends.
    worker: { id: job.id, leaseMs: job.leaseMs },
    clock: systemClock,
    ...{ sleep, signal },
    perform: async (claim) => {
      printStart(claim.item, claim.attempt, performance.now() - askedAt);
      await sleep(job.taskMs);
      return {
        settlement: { kind: "done" },
        record: async (tx) =>
          void (await tx.run("insert into bench_records (item, attempt, worker) values (?, ?, ?)", [
            claim.item,
            claim.attempt,
            job.id,
          ])),
      };
    },
  });
  await queue.close();
}

/** The floor: the same work by the least SQL that gives each item to one worker. No leases, no retries. */
async function workPlain(db: Db, job: QueueWorkerJob, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const askedAt = performance.now();
    const row = await db.get<{ item: string }>(
      `update bench_plain set state = 'held' where item = (
         select item from bench_plain where state = 'waiting' order by item limit 1 ${db.dialect.skipLocked}
       ) returning item`,
    );
    if (row === undefined) {
      await sleep(100, signal);
      continue;
    }
    printStart(row.item, 1, performance.now() - askedAt);
    await sleep(job.taskMs);
    await db.tx(async (tx) => {
      await tx.run("update bench_plain set state = 'done' where item = ?", [row.item]);
      await tx.run("insert into bench_records (item, attempt, worker) values (?, 1, ?)", [row.item, job.id]);
    });
  }
}

function printStart(item: string, attempt: number, waitedMs: number): void {
  process.stdout.write(`${item} ${attempt} ${systemClock.now()} ${waitedMs.toFixed(1)}\n`);
}
