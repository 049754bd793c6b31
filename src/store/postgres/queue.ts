import type pg from "pg";
import type { Db } from "../engine/db.ts";
import { isProcessGone } from "../../lib/process-ref.ts";
import { makeQueue } from "../queue/make-queue.ts";
import type { Queue, QueueOptions, QueueWatch } from "../engine/queue.ts";
import { bossItems, WORK_CHANNEL } from "./boss-items.ts";
import { type PostgresConnections, connectionsOf } from "./connections.ts";
import { storeError } from "./errors.ts";
import { openBoss } from "./open-boss.ts";
import { findQueueSchema } from "./queue-schema.ts";
import { listen } from "./watch.ts";

/** Polls for work that becomes due, that is given back, and behind a pooler for all work. */
const POLL_MS = 500;

export async function openPostgresQueue(db: Db, { queues }: QueueOptions): Promise<Queue> {
  const to = connectionsOf.get(db);
  if (to === undefined) throw new Error("this database was not opened by openPostgres");
  const schema = await findQueueSchema(db);
  const raw = {
    executeSql: async (text: string, values?: unknown[]) => {
      const result: unknown = await to.pool.query(text, values);
      // Several statements in one text have several results.
      const all = (Array.isArray(result) ? result : [result]) as readonly pg.QueryResult[];
      return { rows: all.flatMap((one) => one.rows as unknown[]) };
    },
  };
  const boss = await openBoss(raw, schema, { place: to.where.place, queues }).catch((error: unknown) => {
    throw storeError(error, to.where.place);
  });
  const items = bossItems(boss, schema);
  const watches = new Set<QueueWatch>();
  return makeQueue(db, items, {
    isGone: isProcessGone,
    watch: async (names, onWork) => {
      const hasDue = async () => {
        for (const name of names) if (await items.hasDue(db, name)) return true;
        return false;
      };
      const watch = await watchWork(to, hasDue, (queue) => {
        if (queue === null || names.includes(queue)) onWork();
      });
      watches.add(watch);
      return watch;
    },
    close: async () => {
      for (const watch of watches) await watch.close();
      await boss.stop({ graceful: false, close: false });
    },
  });
}

async function watchWork(
  { driver, where }: PostgresConnections,
  hasDue: () => Promise<boolean>,
  /** Null: in one of the watched queues. */
  onWork: (queue: string | null) => void,
): Promise<QueueWatch> {
  const onNotice = (payload: string | undefined) => onWork(payload ?? null);
  const listening = where.throughPooler ? null : await listen(driver, where, WORK_CHANNEL, onNotice);
  const timer = setInterval(() => {
    // The server is unreachable: the next poll finds it, or the worker's next call reports it.
    void hasDue().then((isDue) => isDue && onWork(null), ignore);
  }, POLL_MS);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await listening?.close();
    },
  };
}

function ignore(): void {}
