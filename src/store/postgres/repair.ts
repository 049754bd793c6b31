import type { Repair } from "../db.ts";

export const postgresRepair: Repair = {
  wordFault: async (db) => {
    const found = await db.get<{ there: string | null; indexed: string | null }>(
      "select to_regclass('words')::text as there, to_regclass('words_text')::text as indexed",
    );
    if (!found?.there) return "it is not there";
    return found.indexed ? null : "its index words_text is not there";
  },
  remakeWords: async (db) => {
    await db.tx(async (tx) => {
      await tx.run("drop table if exists words");
      // As the migrations leave it; a test compares the two.
      await tx.run("create table words (id bigint primary key, text tsvector not null)");
      await tx.run("create index words_text on words using gin (text)");
    });
  },
  // The server looks after its own.
  reindex: async () => {},
};
