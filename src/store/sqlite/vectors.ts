import type { Db, Value, Vectors } from "../db.ts";
import { bytesOf, NAME_END, newNearest } from "../nearest.ts";

const BLOCK = 1_000;

/** Bytes in a table, and a look at every one: exact, and fast enough for some hundred thousand. */
export const sqliteVectors: Vectors = {
  put: async (db, rows) => {
    await db.insertMany(
      {
        table: "vectors",
        columns: ["noun", "subject", "model", "dims", "vector"],
        tail: "on conflict (noun, subject, model) do update set dims = excluded.dims, vector = excluded.vector",
      },
      rows.map((row) => [row.noun, row.subject, row.model, row.dims, bytesOf(row)]),
    );
  },
  nearest: async (db, query, { noun, model, k, subjects }) => {
    const nearest = newNearest(query, k);
    const where = [noun, model, query.length];
    if (subjects === undefined) {
      for (let after: string | null = ""; after !== null;)
        after = await addBlock(db, nearest, "and subject > ?", [...where, after]);
    } else {
      for (let from = 0; from < subjects.length; from += BLOCK) {
        const some = subjects.slice(from, from + BLOCK);
        await addBlock(db, nearest, "and subject in (select value from json_each(?))", [
          ...where,
          JSON.stringify(some),
        ]);
      }
    }
    return nearest.best();
  },
  remove: async (db, noun, subject) => {
    await db.run("delete from vectors where noun = ? and subject = ?", [noun, subject]);
  },
};

/** A block in one row: handing rows over one by one would cost more than comparing them. Returns its last subject, or null when it was the last block. */
async function addBlock(
  db: Db,
  nearest: ReturnType<typeof newNearest>,
  condition: string,
  values: readonly Value[],
): Promise<string | null> {
  const row = await db.get<{ count: number; block: Uint8Array | null; names: string | null; last: string | null }>(
    `select count(*) as count, cast(group_concat(vector, '') as blob) as block,
       group_concat(subject, '${NAME_END}') as names, max(subject) as last
     from (
       select subject, vector from vectors where noun = ? and model = ? and dims = ? ${condition}
       order by subject limit ${BLOCK}
     )`,
    values,
  );
  if (!row || row.block === null || row.names === null) return null;
  nearest.add(row.block, row.names);
  return row.count === BLOCK ? row.last : null;
}
