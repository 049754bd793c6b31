import type { StoreRepair } from "../engine/db.ts";
import { clearJobs, findQueueFault } from "./queue-schema.ts";

export const postgresRepair: StoreRepair = {
  wordFault: async (db) => {
    const found = await db.get<{ there: string | null; indexed: string | null }>(
      "select to_regclass('words')::text as there, to_regclass('words_text')::text as indexed",
    );
    if (!found?.there) return "it does not exist";
    return found.indexed ? null : "its index words_text does not exist";
  },
  remakeWords: async (db) => {
    await db.tx(async (tx) => {
      await tx.run("drop table if exists words");
      await (await tx.dialect.words()).mend(tx);
    });
  },
  queueFault: findQueueFault,
  clearQueue: clearJobs,
  tableNames: async (db) =>
    (await db.all<{ name: string }>("select tablename as name from pg_tables where schemaname = current_schema()")).map(
      (row) => row.name,
    ),
  // The server maintains its own indexes.
  reindex: async () => {},
};
