import type { Db as BossDb, JobWithMetadata, PgBoss } from "pg-boss";
import { createHash } from "node:crypto";
import { lastAttemptOf } from "../../domain/work/queue.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import type { QueueCounts, WorkItems } from "../engine/queue.ts";

/** Announces new work to workers of all machines; the payload is the queue. */
export const WORK_CHANNEL = "oldhand_work";

/** The server's largest setting. */
const LONGEST_MS = 2 ** 31 - 1;

/** What a job of pg-boss carries. Its `retryCount` counts from 0, our attempts from where the owner says. */
interface Payload {
  readonly item: string;
  readonly attempt: number;
}

/**
 * pg-boss keeps the pieces of work: their order, due times, retries and end. Its own workers, timers and heartbeats
 * are not used. Leases are rows of `claims`, so that they may be short, name their worker, and end in our transaction.
 */
export function bossItems(boss: PgBoss, schema: string): WorkItems {
  const now = { sql: `cast(extract(epoch from ${schema}.job_now()) * 1000 as bigint)`, values: [] };
  const send = (tx: Db, work: Parameters<WorkItems["add"]>[1]) =>
    boss.send(work.queue, { item: work.item, attempt: work.attempt } satisfies Payload, {
      id: jobId(work.queue, work.item),
      priority: work.priority ?? 0,
      retryLimit: lastAttemptOf(work) - work.attempt,
      db: inTransaction(tx),
      ...(work.notBefore === undefined ? {} : { startAfter: new Date(work.notBefore) }),
    });
  return {
    now: () => now,
    limitedTo: (leaseMs) =>
      `returning set_config('idle_in_transaction_session_timeout', '${Math.min(Math.ceil(leaseMs), LONGEST_MS)}', true) as one`,
    add: async (tx, work) => {
      if ((await send(tx, work)) === null) {
        if (!(await dropEnded(boss, tx, work))) return false;
        if ((await send(tx, work)) === null) return false;
      }
      await tx.run("select pg_notify(?, ?)", [WORK_CHANNEL, work.queue]);
      return true;
    },
    hasDue: async (db, queue) =>
      (await db.get(
        `select 1 as due from ${schema}.job where name = ? and state < 'active' and start_after <= ${schema}.job_now() limit 1`,
        [queue],
      )) !== undefined,
    take: async (tx, queue) => {
      const [job] = await boss.fetch<Payload>(queue, { db: inTransaction(tx) });
      return job === undefined ? null : { item: job.data.item, attempt: job.data.attempt + job.retryCount };
    },
    finish: async (tx, { queue, item }, settlement) => {
      const id = jobId(queue, item);
      const db = inTransaction(tx);
      if (settlement.kind === "done") return isOne(await boss.complete(queue, id, null, { db }));
      const failed = await boss.fail(queue, id, { reason: settlement.reason ?? null }, { db });
      if (!isOne(failed)) return false;
      // A cancelled job is not tried again, whatever attempts it has left.
      if (settlement.kind === "dead") await boss.cancel(queue, id, { db });
      // A number is seconds from now, by the server's clock.
      else if (settlement.afterMs !== undefined)
        await boss.update(queue, undefined, { id, startAfter: settlement.afterMs / 1_000, db });
      return true;
    },
    counts: async (db, queue): Promise<QueueCounts> => {
      const row = await db.get<QueueCounts>(
        `select count(case when state < 'active' then 1 end) as waiting, count(case when state = 'active' then 1 end) as held,
           count(case when state = 'completed' then 1 end) as done, count(case when state > 'completed' then 1 end) as dead
         from ${schema}.job where name = ?`,
        [queue],
      );
      return row ?? { waiting: 0, held: 0, done: 0, dead: 0 };
    },
    prune: (db, before) =>
      db.run(`delete from ${schema}.job where completed_on < to_timestamp(cast(? as double precision) / 1000)`, [
        before,
      ]),
    clear: async (tx) => void (await tx.run(`delete from ${schema}.job`)),
  };
}

/** An item that ended may be queued again with a later attempt. */
async function dropEnded(boss: PgBoss, tx: Db, work: Parameters<WorkItems["add"]>[1]): Promise<boolean> {
  const id = jobId(work.queue, work.item);
  const db = inTransaction(tx);
  const [old] = await boss.findJobs<Payload>(work.queue, { id, db });
  if (old === undefined || !hasEnded(old) || old.data.attempt + old.retryCount >= work.attempt) return false;
  await boss.deleteJob(work.queue, id, { db });
  return true;
}

function hasEnded({ state }: Pick<JobWithMetadata, "state">): boolean {
  return state === "completed" || state === "failed" || state === "cancelled";
}

/** pg-boss's statements run in our transaction. They have `$1`, which our SQL leaves as it is. */
function inTransaction(tx: Db): BossDb {
  return { executeSql: async (text, values = []) => ({ rows: await tx.all(text, values as readonly SqlValue[]) }) };
}

/** The same for the same item, so that an item has one job. */
function jobId(queue: string, item: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([queue, item]))
    .digest("hex");
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function isOne(answer: object): boolean {
  return (answer as { readonly affected?: number }).affected === 1;
}
