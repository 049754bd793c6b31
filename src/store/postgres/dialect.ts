import { OldhandError } from "../../lib/errors.ts";
import type { Db, Dialect } from "../engine/db.ts";

export const postgresDialect: Dialect = {
  name: "postgres",
  skipLocked: "for update skip locked",
  lockJournal: "lock table journal in share row exclusive mode",
  lockKvTable: "lock table kv in share row exclusive mode",
  lockShown: "lock table shown in share row exclusive mode",
  // Not the table: a lock on it stops the server from tidying up a table whose rows change with every call.
  lockMoney: "select pg_advisory_xact_lock(30527309)",
  settledEvents,
  continueNumbers: async (db, tables) => {
    for (const table of tables) {
      await db.run(
        `select setval(pg_get_serial_sequence('${table}', 'id'), (select coalesce(max(id), 0) + 1 from ${table}), false)`,
      );
    }
  },
  words: async () => (await import("./words.ts")).postgresWords("words"),
  passageWords: async () => (await import("./words.ts")).postgresWords("passage_words"),
  repair: async () => (await import("./repair.ts")).postgresRepair,
  scrub: async () => (await import("./scrub.ts")).postgresScrub,
  vectors: async () => (await import("./vectors.ts")).postgresVectors,
};

const PATIENCE_MS = 1_000;

/**
 * Ids are assigned before commit, so the highest visible one is not enough. Waits for every writer of the
 * table: all transactions with an earlier id have then ended. New writers queue behind this lock, so the wait
 * is short; while a writer hangs, nothing counts as settled.
 */
async function settledEvents(db: Db): Promise<number> {
  try {
    return await db.tx(async (tx) => {
      await tx.run(`set local lock_timeout = ${PATIENCE_MS}`);
      await tx.run("lock table events in share mode");
      const row = await tx.get<{ last: number | null }>("select max(id) as last from events");
      return row?.last ?? 0;
    });
  } catch (error) {
    if (error instanceof OldhandError && error.code === "store-locked") return 0;
    throw error;
  }
}
