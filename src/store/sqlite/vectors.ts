import type { VectorStore } from "../engine/db.ts";
import {
  removeFromMatrices,
  loadMatrix,
  NAME_SEPARATOR,
  takeNextTurn,
  type ReadVectorBlock,
} from "../engine/vector-matrix.ts";
import { encodeVector } from "../engine/vectors.ts";

const BLOCK = 1_000;

/** Stores bytes in a table and compares all of them: exact, and fast enough for some hundred thousand. */
export const sqliteVectors: VectorStore = {
  put: (db, rows) =>
    db.tx(async (tx) => {
      const turn = await takeNextTurn(tx);
      await tx.insertMany(
        {
          table: "vectors",
          columns: ["noun", "subject", "model", "dims", "vector", "turn"],
          tail: "on conflict (noun, subject, model) do update set dims = excluded.dims, vector = excluded.vector, turn = excluded.turn",
        },
        rows.map((row) => [row.noun, row.subject, row.model, row.dims, encodeVector(row), turn]),
      );
    }),
  compare: async (db, query, options) =>
    (await loadMatrix(db, options, query.length, readBlock)).compare(query, options),
  missing: async (db, { noun, model }, subjects) => {
    const rows = await db.all<{ subject: string }>(
      `select value as subject from json_each(?) where not exists (
         select 1 from vectors where noun = ? and model = ? and subject = value
       )`,
      [JSON.stringify(subjects), noun, model],
    );
    return rows.map((row) => row.subject);
  },
  remove: async (db, noun, subjects) => {
    const list = subjects.map(() => "?").join(", ");
    await db.run(`delete from vectors where noun = ? and subject in (${list})`, [noun, ...subjects]);
    removeFromMatrices(db, noun, subjects);
  },
};

/** Returns a block as one row: returning single rows would cost more than comparing them. */
const readBlock: ReadVectorBlock = async (db, { noun, model, dims }, { after, upTo, from }) => {
  const row = await db.get<{ count: number; block: Uint8Array | null; names: string | null; last: string | null }>(
    `select count(*) as count, cast(group_concat(vector, '') as blob) as block,
       group_concat(subject, '${NAME_SEPARATOR}') as names, max(subject) as last
     from (
       select subject, vector from vectors
       where noun = ? and model = ? and dims = ? and turn > ? and turn <= ? and subject > ?
       order by subject limit ${BLOCK}
     )`,
    [noun, model, dims, after, upTo, from],
  );
  return row && { ...row, last: row.count === BLOCK ? row.last : null };
};
