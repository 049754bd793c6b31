import type { Db, Dialect } from "../engine/db.ts";

export const sqliteDialect: Dialect = {
  name: "sqlite",
  skipLocked: "",
  // SQLite has only one writer at a time.
  lockJournal: null,
  lockKvTable: null,
  lockShown: null,
  lockMoney: null,
  settledEvents: lastEvent,
  // SQLite's sequence follows the highest id by itself.
  continueNumbers: async () => {},
  words: async () => (await import("./words.ts")).sqliteWords("words"),
  passageWords: async () => (await import("./words.ts")).sqliteWords("passage_words"),
  repair: async () => (await import("./repair.ts")).sqliteRepair,
  scrub: async () => (await import("./scrub.ts")).sqliteScrub,
  vectors: async () => (await import("./vectors.ts")).sqliteVectors,
};

async function lastEvent(db: Db): Promise<number> {
  const row = await db.get<{ last: number | null }>("select max(id) as last from events");
  return row?.last ?? 0;
}
