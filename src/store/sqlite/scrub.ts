import { OldhandError } from "../../lib/errors.ts";
import type { Db, StoreScrub } from "../engine/db.ts";

/**
 * `secure_delete` overwrites deleted rows and freed pages, but not copies that SQLite leaves in the unused
 * part of a page when it moves rows. So the tables themselves are rewritten. A file from before oldhand used
 * `secure_delete` may contain old bytes anywhere; it is rewritten completely, once.
 */
export const sqliteScrub: StoreScrub = {
  tables: (db, names) =>
    unlessLocked(async () => {
      if ((await db.get("select 1 as one from meta where key = ?", [CLEAN])) === undefined) return everything(db);
      await db.tx(async (tx) => {
        for (const name of names) await rewrite(tx, name);
      });
      return emptyLog(db);
    }),
  everything: (db) => unlessLocked(() => everything(db)),
};

/** Set from the start in a file that always used `secure_delete`. */
const CLEAN = "slack clean";

async function everything(db: Db): Promise<string | null> {
  for (const name of wordIndexes) await merge(db, name);
  await db.run("vacuum");
  await db.run("insert into meta (key, value) values (?, '1') on conflict (key) do nothing", [CLEAN]);
  return emptyLog(db);
}

const wordIndexes = ["words", "passage_words"];

async function rewrite(tx: Db, name: string): Promise<void> {
  if (wordIndexes.includes(name)) return merge(tx, name);
  const rows = await tx.all<{ name: string }>("select name from pragma_table_info(?)", [name]);
  const columns = rows.map((row) => row.name).join(", ");
  await tx.run(`create temp table rewritten as select ${columns} from ${name}`);
  await tx.run(`delete from ${name}`);
  await tx.run(`insert into ${name} (${columns}) select ${columns} from rewritten`);
  await tx.run("drop table rewritten");
}

/** Deleted rows are only marked in the index; merging its parts removes their words. */
async function merge(db: Db, name: string): Promise<void> {
  await db.run(`insert into ${name}(${name}) values ('optimize')`);
}

/** The log contains earlier versions of pages; it can be emptied when nobody reads from it. */
async function emptyLog(db: Db): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    const row = await db.get<{ busy: number }>("pragma wal_checkpoint(truncate)");
    if (row?.busy === 0) return null;
    if (attempt === ATTEMPTS)
      return "another process is reading the database, so its write-ahead log cannot be emptied yet";
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

const ATTEMPTS = 20;
const PAUSE_MS = 50;

async function unlessLocked(act: () => Promise<string | null>): Promise<string | null> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof OldhandError && error.code === "store-locked")
      return "another process is writing to the database";
    throw error;
  }
}
