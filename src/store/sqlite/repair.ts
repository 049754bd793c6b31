import { errorMessage, OldhandError } from "../../lib/errors.ts";
import type { Db, StoreRepair } from "../engine/db.ts";

export const sqliteRepair: StoreRepair = {
  wordFault: async (db) => {
    try {
      if (!(await db.get("select 1 from sqlite_master where name = 'words'"))) return "it does not exist";
      await db.run("insert into words(words) values ('integrity-check')");
      return null;
    } catch (error) {
      return errorMessage(error instanceof Error && error.cause !== undefined ? error.cause : error);
    }
  },
  remakeWords: async (db) => {
    await dropWordIndex(db);
    await (await db.dialect.words()).mend(db);
  },
  // Its tables are checked with the others.
  queueFault: async () => null,
  clearQueue: async () => {},
  tableNames: async (db) =>
    (await db.all<{ name: string }>("select name from sqlite_master where type = 'table'")).map((row) => row.name),
  reindex: async (db) => {
    await db.run("reindex");
  },
};

/** Dropping a virtual table calls its module; that fails if the table is too damaged to be removed from here. */
async function dropWordIndex(db: Db): Promise<void> {
  try {
    await db.run("drop table if exists words");
  } catch (cause) {
    throw new OldhandError("store-corrupt", "the word index is too damaged to be rebuilt in place", {
      hint: "oldhand backup FILE, move the database away, then oldhand restore FILE --write",
      cause,
    });
  }
}
