import type pg from "pg";
import { hashText } from "../../lib/hash.ts";
import type { Db, Insertion, SqlRow, SqlValue } from "../engine/db.ts";
import { toStorableValues } from "../engine/values.ts";
import { postgresDialect } from "./dialect.ts";
import { storeError } from "./errors.ts";

interface ConnectionOptions {
  readonly place: string;
  /** Named statements are planned once; a transaction pooler cannot keep them. */
  readonly prepare: boolean;
  /** Its name in a shared mind. */
  readonly machine?: string | undefined;
}

type Client = Pick<pg.Pool, "query"> | Pick<pg.PoolClient, "query">;

const SNAPSHOT = "begin isolation level repeatable read read only";

export function postgresDb(pool: pg.Pool, options: ConnectionOptions): Db {
  const inTransaction = async <T>(begin: string, work: (db: Db) => Promise<T>): Promise<T> => {
    const client = await connectClient(pool, options);
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const result = await work(clientDb(client, options));
      await client.query("commit");
      return result;
    } catch (error) {
      // A connection that cannot roll back is not reused.
      await client.query("rollback").catch((failed: Error) => {
        broken = failed;
      });
      throw storeError(error, options.place);
    } finally {
      client.release(broken);
    }
  };
  return {
    ...statements(pool, options),
    insertMany: (into, rows) =>
      rows.length <= chunkOf(into)
        ? statements(pool, options).insertMany(into, rows)
        : inTransaction("begin", (tx) => tx.insertMany(into, rows)),
    tx: (work) => inTransaction("begin", work),
    snapshot: (read) => inTransaction(SNAPSHOT, read),
    stream: async function* (sql, values) {
      const client = await connectClient(pool, options);
      try {
        await client.query(SNAPSHOT);
        yield* clientDb(client, options).stream(sql, values);
      } finally {
        // Also when the reader stops early. Nothing was written, so a connection that fails here is just not
        // reused.
        await client.query("rollback").then(
          () => client.release(),
          (failed: Error) => client.release(failed),
        );
      }
    },
    close: () => pool.end(),
  };
}

function connectClient(pool: pg.Pool, options: ConnectionOptions): Promise<pg.PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw storeError(error, options.place);
  });
}

function clientDb(client: pg.PoolClient, options: ConnectionOptions): Db {
  let depth = 0;
  const db: Db = {
    ...statements(client, options),
    tx: async (work) => {
      const name = `nested_${++depth}`;
      await client.query(`savepoint ${name}`);
      try {
        const result = await work(db);
        await client.query(`release savepoint ${name}`);
        return result;
      } catch (error) {
        await client.query(`rollback to savepoint ${name}`);
        throw error;
      } finally {
        depth--;
      }
    },
    snapshot: (read) => read(db),
    close: async () => {},
  };
  return db;
}

function statements(
  client: Client,
  options: ConnectionOptions,
): Pick<Db, "dialect" | "machine" | "all" | "get" | "run" | "insertMany" | "stream"> {
  const query: Query = async (sql, values) => {
    const { text, name } = translate(sql);
    try {
      return await client.query({ text, values: bindable(values), ...(options.prepare ? { name } : {}) });
    } catch (error) {
      throw storeError(error, options.place);
    }
  };
  return {
    dialect: postgresDialect,
    machine: options.machine,
    all: async <T>(sql: string, values: readonly SqlValue[] = []) => (await query(sql, values)).rows as T[],
    get: async <T>(sql: string, values: readonly SqlValue[] = []) =>
      (await query(sql, values)).rows[0] as T | undefined,
    run: async (sql, values = []) => (await query(sql, values)).rowCount ?? 0,
    insertMany: (into, rows) => insertInChunks(query, into, rows),
    stream: (sql, values = []) => streamRows(client, options, sql, values),
  };
}

/**
 * `?` becomes `$1`, `$2`, …; our SQL has no question mark in a literal. The name is a hash of the text, so
 * that equal SQL is planned once.
 */
function translate(sql: string): { readonly text: string; readonly name: string } {
  const known = translated.get(sql);
  if (known) return known;
  let count = 0;
  const text = sql.replaceAll("?", () => `$${++count}`);
  const made = { text, name: hashText(text) };
  translated.set(sql, made);
  return made;
}

const translated = new Map<string, { readonly text: string; readonly name: string }>();

const CHUNK = 500;

type Query = (sql: string, values: readonly SqlValue[]) => Promise<pg.QueryResult>;

function chunkOf(into: Insertion): number {
  return Math.min(CHUNK, Math.floor(65_000 / into.columns.length));
}

/** Few statement sizes, so that plans are kept: whole chunks, then the rest. Atomic only in a transaction. */
async function insertInChunks(query: Query, into: Insertion, rows: readonly (readonly SqlValue[])[]): Promise<number> {
  const group = `(${into.columns.map(() => "?").join(", ")})`;
  const most = chunkOf(into);
  let changed = 0;
  for (let from = 0; from < rows.length; from += most) {
    const chunk = rows.slice(from, from + most);
    const sql = `insert into ${into.table} (${into.columns.join(", ")}) values ${chunk.map(() => group).join(", ")} ${into.tail ?? ""}`;
    changed += (await query(sql, chunk.flat())).rowCount ?? 0;
  }
  return changed;
}

let cursors = 0;

async function* streamRows(
  client: Client,
  options: ConnectionOptions,
  sql: string,
  values: readonly SqlValue[],
): AsyncIterable<SqlRow> {
  const cursor = `rows_${++cursors}`;
  const text = `declare ${cursor} no scroll cursor for ${translate(sql).text}`;
  await client.query({ text, values: bindable(values) }).catch((error: unknown) => {
    throw storeError(error, options.place);
  });
  let open = true;
  try {
    while (open) {
      const { rows } = await client.query(`fetch 2000 from ${cursor}`).catch((error: unknown) => {
        open = false;
        throw storeError(error, options.place);
      });
      for (const row of rows) yield row as SqlRow;
      if (rows.length < 2000) break;
    }
  } finally {
    // A cursor left open would hold its rows until the transaction ends.
    if (open) await client.query(`close ${cursor}`);
  }
}

function bindable(values: readonly SqlValue[]): (SqlValue | Buffer)[] {
  return toStorableValues(values).map(asBytes);
}

function asBytes(value: SqlValue): SqlValue | Buffer {
  return value instanceof Uint8Array && !Buffer.isBuffer(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
}
