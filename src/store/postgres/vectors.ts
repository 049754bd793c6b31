import type { VectorComparison, Db, NearVector, SqlValue, VectorRow, VectorStore } from "../engine/db.ts";
import {
  CROWD_NEAREST,
  CROWD_SAMPLE,
  removeFromMatrices,
  loadMatrix,
  NAME_SEPARATOR,
  takeNextTurn,
  type ReadVectorBlock,
  computeSpread,
} from "../engine/vector-matrix.ts";
import { encodeVector } from "../engine/vectors.ts";

const BLOCK = 2_000;
/** pgvector indexes no more dimensions than this. */
const MOST_INDEXED = 2_000;

/**
 * Uses pgvector if the server has it, else compares all vectors here. The bytes are stored in both cases, so
 * that a mind works on a server with the extension, without it, and if it is added later.
 */
export const postgresVectors: VectorStore = {
  put: async (db, rows) => {
    if (rows.length === 0) return;
    const embedded = await preparePgvector(db, new Set(rows.map((row) => row.dims)));
    const columns = ["noun", "subject", "model", "dims", "vector", "turn", ...(embedded ? ["embedding"] : [])];
    await db.tx(async (tx) => {
      const turn = await takeNextTurn(tx);
      await tx.insertMany(
        {
          table: "vectors",
          columns,
          tail: `on conflict (noun, subject, model) do update set ${columns
            .slice(3)
            .map((name) => `${name} = excluded.${name}`)
            .join(", ")}`,
        },
        lastOfEach(rows).map((row): SqlValue[] => [
          row.noun,
          row.subject,
          row.model,
          row.dims,
          encodeVector(row),
          turn,
          ...(embedded ? [literal(row.vector)] : []),
        ]),
      );
    });
  },
  compare: async (db, query, options) =>
    (await serverState(db)).embedded
      ? compareOnServer(db, query, options)
      : (await loadMatrix(db, options, query.length, readBlock)).compare(query, options),
  missing: async (db, { noun, model }, subjects) => {
    const rows = await db.all<{ subject: string }>(
      `select asked.subject from json_array_elements_text(cast(? as json)) as asked (subject) where not exists (
         select 1 from vectors where vectors.noun = ? and vectors.model = ? and vectors.subject = asked.subject
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

type Options = Parameters<VectorStore["compare"]>[2];

interface ServerState {
  /** The pgvector column exists and can be used. */
  readonly embedded: boolean;
  /** It does not exist, but might be created. */
  readonly possible: boolean;
}

async function serverState(db: Db): Promise<ServerState> {
  const row = await db.get<{ there: boolean; known: boolean; possible: boolean }>(
    `select to_regtype('vector') is not null and exists (
         select from pg_extension where extname = 'vector' and string_to_array(extversion, '.')::int[] >= array[0, 8]
       ) as known,
       exists (select from pg_attribute where attrelid = to_regclass('vectors') and attname = 'embedding' and not attisdropped) as there,
       exists (select from pg_available_extensions where name = 'vector') and
         (to_regtype('vector') is not null or has_database_privilege(current_database(), 'create')) as possible`,
  );
  return { embedded: row?.there === true && row.known, possible: row?.there === false && row.possible };
}

/**
 * True if vectors are also stored for pgvector. If it cannot be set up (no permission, unsuitable version),
 * that is no error: vectors are then compared here.
 */
async function preparePgvector(db: Db, allDims: ReadonlySet<number>): Promise<boolean> {
  const state = await serverState(db);
  if (!state.embedded && !state.possible) return false;
  try {
    await db.tx(async (tx) => {
      if (!state.embedded) await addColumn(tx);
      for (const dims of allDims) await addIndex(tx, dims);
    });
    return true;
  } catch {
    return state.embedded;
  }
}

async function addColumn(tx: Db): Promise<void> {
  await tx.run("create extension if not exists vector");
  await tx.run("alter table vectors add column if not exists embedding vector");
  await tx.run(
    `update vectors set embedding = (
       select array_agg(case when byte > 127 then byte - 256 else byte end order by place)
       from (select place, get_byte(vector, place) as byte from generate_series(0, dims - 1) as place) as bytes
     )::real[]::vector where embedding is null`,
  );
}

/** An index needs a fixed dimension, so each dimension has its own. */
async function addIndex(tx: Db, dims: number): Promise<void> {
  const name = `vectors_near_${dims}`;
  if (dims > MOST_INDEXED || (await tx.get("select 1 as one where to_regclass(?) is not null", [name]))) return;
  await tx.run(
    `create index if not exists ${name} on vectors using hnsw ((embedding::vector(${dims})) vector_cosine_ops) where dims = ${dims}`,
  );
}

async function compareOnServer(db: Db, query: Int8Array, options: Options): Promise<VectorComparison> {
  const { subjects } = options;
  const among = (some: readonly string[]) => ({
    sql: "and subject in (select json_array_elements_text(cast(? as json)))",
    values: [JSON.stringify(some)],
  });
  const nearest = (k: number, some: readonly string[] | undefined) =>
    some === undefined
      ? findByIndex(db, query, { ...options, k })
      : queryNearest(db, query, { ...options, k, condition: among(some) });
  const best = await nearest(options.k, subjects);
  // The index returns only the nearest; a sample shows the distribution of the others.
  const some = await queryNearest(db, query, {
    ...options,
    k: SAMPLE,
    condition: { sql: "", values: [] },
    unsorted: true,
  });
  return {
    best,
    nearest,
    of: async (others) => {
      if (others.length === 0) return new Map();
      const scored = await queryNearest(db, query, { ...options, k: others.length, condition: among(others) });
      return new Map(scored.map((near) => [near.subject, near.score]));
    },
    crowding: (others) => computeCrowding(db, query.length, { ...options, subjects: others }),
    ...computeSpread(some.map((near) => near.score)),
  };
}

/** Compared with a sample: the index would need one query for each subject. */
async function computeCrowding(
  db: Db,
  dims: number,
  { noun, model, subjects = [] }: Pick<Options, "noun" | "model" | "subjects">,
): Promise<ReadonlyMap<string, number>> {
  if (subjects.length === 0) return new Map();
  const typed = `embedding::vector(${dims})`;
  const rows = await db.all<{ subject: string; crowding: number }>(
    `with sample as (
       select subject, ${typed} as place from vectors where dims = ${dims} and noun = ? and model = ? limit ${CROWD_SAMPLE}
     )
     select own.subject, avg(near.score) as crowding
     from vectors as own cross join lateral (
       select 1 - (sample.place <=> own.${typed}) as score from sample where sample.subject <> own.subject
       order by score desc limit ${CROWD_NEAREST}
     ) as near
     where own.dims = ${dims} and own.noun = ? and own.model = ?
       and own.subject in (select json_array_elements_text(cast(? as json)))
     group by own.subject`,
    [noun, model, noun, model, JSON.stringify(subjects)],
  );
  return new Map(rows.map((row) => [row.subject, Number(row.crowding)]));
}

const SAMPLE = 200;

function findByIndex(db: Db, query: Int8Array, options: Options): Promise<readonly NearVector[]> {
  return db.tx(async (tx) => {
    // The index ignores nouns, so it is scanned until enough of ours are found.
    await tx.run("set local hnsw.iterative_scan = strict_order");
    await tx.run(`set local hnsw.ef_search = ${Math.min(1_000, Math.max(100, options.k * 2))}`);
    return queryNearest(tx, query, { ...options, condition: { sql: "", values: [] } });
  });
}

interface NearestQuery extends Pick<Options, "noun" | "model" | "k"> {
  readonly condition: { readonly sql: string; readonly values: readonly SqlValue[] };
  readonly unsorted?: boolean;
}

function queryNearest(db: Db, query: Int8Array, question: NearestQuery): Promise<NearVector[]> {
  const typed = `embedding::vector(${query.length})`;
  const { noun, model, k, condition, unsorted } = question;
  return db.all<NearVector>(
    `select subject, 1 - (${typed} <=> query) as score from vectors, (select cast(? as vector) as query) as asked
     where dims = ${query.length} and noun = ? and model = ? ${condition.sql}
     ${unsorted ? "" : `order by ${typed} <=> query`} limit ?`,
    [literal(query), noun, model, ...condition.values, k],
  );
}

const readBlock: ReadVectorBlock = async (db, { noun, model, dims }, { after, upTo, from }) => {
  const row = await db.get<{ count: number; block: Uint8Array | null; names: string | null; last: string | null }>(
    `select count(*) as count, string_agg(vector, '' order by subject) as block,
       string_agg(subject, '${NAME_SEPARATOR}' order by subject) as names, max(subject) as last
     from (
       select subject, vector from vectors
       where noun = ? and model = ? and dims = ? and turn > ? and turn <= ? and subject > ?
       order by subject limit ${BLOCK}
     ) as part`,
    [noun, model, dims, after, upTo, from],
  );
  return row && { ...row, last: row.count === BLOCK ? row.last : null };
};

/** One statement may write a row only once. */
function lastOfEach(rows: readonly VectorRow[]): VectorRow[] {
  return [...new Map(rows.map((row) => [JSON.stringify([row.noun, row.subject, row.model]), row])).values()];
}

function literal(vector: Int8Array): string {
  return `[${vector.join(",")}]`;
}
