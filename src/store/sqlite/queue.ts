import { lastAttemptOf } from "../../domain/work/queue.ts";
import type { Clock } from "../../lib/clock.ts";
import { isProcessGone } from "../../lib/process-ref.ts";
import type { Db } from "../engine/db.ts";
import { makeQueue } from "../queue/make-queue.ts";
import type { Queue, QueueCounts, QueueOptions, WorkItems } from "../engine/queue.ts";

const POLL_MS = 300;

export function openSqliteQueue(db: Db, { clock }: QueueOptions): Queue {
  const items = sqliteItems(clock);
  const timers = new Set<NodeJS.Timeout>();
  return makeQueue(db, items, {
    isGone: isProcessGone,
    watch: async (queues, onWork) => {
      const timer = setInterval(() => {
        // The database is busy: the next poll finds the work.
        for (const queue of queues) void items.hasDue(db, queue).then((isDue) => isDue && onWork(), ignore);
      }, POLL_MS);
      timer.unref();
      timers.add(timer);
      return {
        close: async () => {
          clearInterval(timer);
          timers.delete(timer);
        },
      };
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer);
    },
  });
}

function ignore(): void {}

/** SQLite has one writer at a time, so a plain update takes the next item. */
export function sqliteItems(clock: Clock): WorkItems {
  return {
    now: () => ({ sql: "?", values: [clock.now()] }),
    limitedTo: () => "returning 1 as one",
    add: async (tx, work) => {
      const now = clock.now();
      const changed = await tx.run(
        `insert into queue_items (queue, item, attempt, last_attempt, state, priority, due, created_at)
         values (?, ?, ?, ?, 'waiting', ?, ?, ?)
         on conflict (queue, item) do update set attempt = excluded.attempt, last_attempt = excluded.last_attempt,
           state = 'waiting', priority = excluded.priority, due = excluded.due, created_at = excluded.created_at,
           reason = null, ended_at = null
         where queue_items.state in ('done', 'dead') and queue_items.attempt < excluded.attempt`,
        [
          work.queue,
          work.item,
          work.attempt,
          lastAttemptOf(work),
          work.priority ?? 0,
          // Without a time of its own it is due even if the clock goes back.
          work.notBefore ?? 0,
          now,
        ],
      );
      return changed === 1;
    },
    hasDue: async (db, queue) =>
      (await db.get("select 1 as due from queue_items where queue = ? and state = 'waiting' and due <= ? limit 1", [
        queue,
        clock.now(),
      ])) !== undefined,
    take: async (tx, queue) =>
      (await tx.get<{ item: string; attempt: number }>(
        `update queue_items set state = 'held' where queue = ? and item = (
           select item from queue_items where queue = ? and state = 'waiting' and due <= ?
           order by priority desc, created_at, item limit 1
         ) returning item, attempt`,
        [queue, queue, clock.now()],
      )) ?? null,
    finish: async (tx, { queue, item, attempt }, settlement) => {
      const now = clock.now();
      const its = [queue, item, attempt];
      if (settlement.kind === "again")
        return (
          (await tx.run(
            `update queue_items set state = case when attempt >= last_attempt then 'dead' else 'waiting' end,
               attempt = case when attempt >= last_attempt then attempt else attempt + 1 end,
               ended_at = case when attempt >= last_attempt then cast(? as integer) end, due = ?, reason = ?
             where queue = ? and item = ? and attempt = ? and state = 'held'`,
            [now, settlement.afterMs === undefined ? 0 : now + settlement.afterMs, settlement.reason ?? null, ...its],
          )) === 1
        );
      const reason = settlement.kind === "dead" ? settlement.reason : null;
      return (
        (await tx.run(
          `update queue_items set state = ?, reason = ?, ended_at = ?
           where queue = ? and item = ? and attempt = ? and state = 'held'`,
          [settlement.kind, reason, now, ...its],
        )) === 1
      );
    },
    counts: async (db, queue): Promise<QueueCounts> => {
      const rows = await db.all<{ state: keyof QueueCounts; count: number }>(
        "select state, count(*) as count from queue_items where queue = ? group by state",
        [queue],
      );
      const found = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
      return { waiting: 0, held: 0, done: 0, dead: 0, ...found };
    },
    prune: (db, before) => db.run("delete from queue_items where ended_at < ?", [before]),
    clear: async (tx) => void (await tx.run("delete from queue_items")),
  };
}
