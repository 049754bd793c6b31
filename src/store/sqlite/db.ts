import type { Db, Insertion, SqlRow, SqlValue } from "../engine/db.ts";
import { toStorableValues } from "../engine/values.ts";
import { sqliteDialect } from "./dialect.ts";
import { connect, type Connection, type Statement } from "./engine.ts";
import { storeError } from "./errors.ts";
import { newMutex } from "./mutex.ts";
import { isBusy, retryWhileBusy } from "./retry-while-busy.ts";
import { rollBack } from "./roll-back.ts";

interface DatabaseFile {
  readonly path: string;
  readonly busyMs: number;
}

/**
 * SQLite behind the common interface. Its calls are synchronous, so a statement is atomic; a transaction
 * holds the mutex while its caller awaits, and others in this process queue.
 */
export function sqliteDb(connection: Connection, path: string, busyMs: number): Db {
  const place = { path, busyMs };
  const statements = statementCache(connection);
  const gate = newMutex();
  const readers = newReaders(place);
  const direct = directDb(connection, statements, place, 0);

  /** Runs at once if nobody else holds the mutex; otherwise, or if another process is writing, in the queue. */
  const inTurn = <T>(act: () => T): Promise<T> => {
    if (gate.isLocked) return gate.runLocked(() => guarded(place, act));
    try {
      return Promise.resolve(act());
    } catch (error) {
      if (isBusy(error)) return gate.runLocked(() => guarded(place, act));
      return Promise.reject(storeError(error, path));
    }
  };
  return {
    ...direct,
    all: <T>(sql: string, values?: readonly SqlValue[]) => inTurn(() => statements.all<T>(sql, values)),
    get: <T>(sql: string, values?: readonly SqlValue[]) => inTurn(() => statements.get<T>(sql, values)),
    run: (sql, values) => inTurn(() => statements.run(sql, values)),
    insertMany: (into, rows) => gate.runLocked(() => direct.insertMany(into, rows)),
    tx: (work) => gate.runLocked(() => direct.tx(work)),
    snapshot: async (read) => {
      const reader = readers.take();
      try {
        return await read(reader.view);
      } finally {
        readers.giveBack(reader);
      }
    },
    stream: async function* (sql, values) {
      const reader = readers.take();
      try {
        yield* reader.view.stream(sql, values);
      } finally {
        readers.giveBack(reader);
      }
    },
    close: () => gate.runLocked(() => readers.close().then(direct.close)),
  };
}

interface Reader {
  readonly view: Db;
  readonly connection: Connection;
}

/**
 * Separate connections for reads: a long read must not block this process's writers, nor see their
 * uncommitted work. They are reused: on Node 20 a closed one keeps its file open until its statements are
 * collected.
 */
function newReaders(file: DatabaseFile) {
  const idle: Reader[] = [];
  return {
    take: (): Reader => {
      try {
        const reader = idle.pop() ?? openReader(file);
        reader.connection.exec("begin");
        return reader;
      } catch (error) {
        throw storeError(error, file.path);
      }
    },
    giveBack: (reader: Reader): void => {
      reader.connection.exec("rollback");
      idle.push(reader);
    },
    close: async (): Promise<void> => {
      for (const { view } of idle.splice(0)) await view.close();
    },
  };
}

function openReader(file: DatabaseFile): Reader {
  const connection = connect(file.path, { readOnly: true });
  connection.exec(`pragma busy_timeout = ${file.busyMs}`);
  return { view: directDb(connection, statementCache(connection), file, 1), connection };
}

const streaming = new Set<Statement>();

/** Uses the connection directly, for a caller that has it exclusively. `depth` is the number of open transactions. */
function directDb(connection: Connection, statements: Statements, file: DatabaseFile, depth: number): Db {
  const db: Db = {
    dialect: sqliteDialect,
    all: <T>(sql: string, values?: readonly SqlValue[]) => guarded(file, () => statements.all<T>(sql, values)),
    get: <T>(sql: string, values?: readonly SqlValue[]) => guarded(file, () => statements.get<T>(sql, values)),
    run: (sql, values) => guarded(file, () => statements.run(sql, values)),
    insertMany: (into, rows) => db.tx(async () => statements.insertEach(into, rows)),
    tx: async (work) => {
      const name = depth === 0 ? null : `nested_${depth}`;
      // `begin immediate`: a transaction that reads first and then writes would fail under concurrent
      // writers.
      await guarded(file, () => connection.exec(name === null ? "begin immediate" : `savepoint ${name}`));
      depth++;
      try {
        const result = await work(db);
        connection.exec(name === null ? "commit" : `release ${name}`);
        return result;
      } catch (error) {
        rollBack(connection, name);
        throw storeError(error, file.path);
      } finally {
        depth--;
      }
    },
    snapshot: (read) => read(db),
    stream: async function* (sql, values = []) {
      // Referenced until the end: if a statement is garbage-collected while its rows are read, the process
      // crashes.
      const statement = connection.prepare(sql);
      streaming.add(statement);
      try {
        for (const row of statement.iterate(...toStorableValues(values))) yield row as SqlRow;
      } catch (error) {
        throw storeError(error, file.path);
      } finally {
        streaming.delete(statement);
      }
    },
    close: async () => {
      statements.clear();
      connection.close();
    },
  };
  return db;
}

function guarded<T>(file: DatabaseFile, act: () => T): Promise<T> {
  return retryWhileBusy(file.busyMs, act).catch((error: unknown) => {
    throw storeError(error, file.path);
  });
}

/** Each statement is prepared once. */
interface Statements {
  all<T>(sql: string, values?: readonly SqlValue[]): T[];
  get<T>(sql: string, values?: readonly SqlValue[]): T | undefined;
  run(sql: string, values?: readonly SqlValue[]): number;
  insertEach(into: Insertion, rows: readonly (readonly SqlValue[])[]): number;
  clear(): void;
}

function statementCache(connection: Connection): Statements {
  const kept = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    const found = kept.get(sql);
    if (found) return found;
    const made = connection.prepare(sql);
    kept.set(sql, made);
    return made;
  };
  const writers = new Map<string, Statement>();
  /** Every run returns the connection's last rowid, and FTS5 sets one that only fits a bigint. */
  const writer = (sql: string): Statement => {
    const found = writers.get(sql);
    if (found) return found;
    const made = connection.prepare(sql);
    made.setReadBigInts(true);
    writers.set(sql, made);
    return made;
  };
  return {
    all: <T>(sql: string, values: readonly SqlValue[] = []) => prepared(sql).all(...toStorableValues(values)) as T[],
    get: <T>(sql: string, values: readonly SqlValue[] = []) =>
      prepared(sql).get(...toStorableValues(values)) as T | undefined,
    run: (sql, values = []) => Number(writer(sql).run(...toStorableValues(values)).changes),
    insertEach: (into, rows) => {
      const statement = writer(
        `insert into ${into.table} (${into.columns.join(", ")}) values (${into.columns.map(() => "?").join(", ")}) ${into.tail ?? ""}`,
      );
      let changed = 0;
      for (const row of rows) changed += Number(statement.run(...toStorableValues(row)).changes);
      return changed;
    },
    clear: () => {
      kept.clear();
      writers.clear();
    },
  };
}
