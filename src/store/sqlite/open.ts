import { errorMessage } from "../../lib/errors.ts";
import type { Store } from "../engine/db.ts";
import { sqliteDb } from "./db.ts";
import { storeError } from "./errors.ts";
import { connect, type Connection } from "./engine.ts";
import { isSchemaBehind, migrate, refuseForeignFile } from "./migrate.ts";
import { retryWhileBusy, SLICE_MS } from "./retry-while-busy.ts";
import { watchFile } from "./watch.ts";

export interface SqliteOptions {
  readonly path: string;
  /** How long a writer waits for another before it gives up. */
  readonly busyMs: number;
  /** Page cache; short-lived processes need little. */
  readonly cacheKb?: number;
  /** Pages in the write-ahead log before they are written to the file. */
  readonly logPages?: number;
}

export async function openSqlite(options: SqliteOptions): Promise<Store> {
  const connection = await prepareFile(options);
  const db = sqliteDb(connection, options.path, options.busyMs);
  return {
    db,
    kind: "sqlite",
    location: options.path,
    watch: async (onChange) => watchFile(options.path, onChange),
    check: async () => check(connection),
    measureReach: async () => null,
    leave: async () => {},
    close: () => db.close(),
  };
}

async function prepareFile(options: SqliteOptions): Promise<Connection> {
  let connection: Connection | undefined;
  try {
    const opened = connect(options.path);
    connection = opened;
    opened.exec(`pragma busy_timeout = ${Math.min(options.busyMs, SLICE_MS)}`);
    // Retried as a whole: switching to WAL fails at once while another process does it, regardless of the
    // timeout.
    const behind = await retryWhileBusy(options.busyMs, () => {
      refuseForeignFile(opened, options.path);
      // `secure_delete`: every writing process overwrites deleted data with zeros.
      opened.exec(
        "pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma secure_delete = on",
      );
      opened.exec(
        `pragma cache_size = -${options.cacheKb ?? 65_536}; pragma wal_autocheckpoint = ${options.logPages ?? 1_000}`,
      );
      return isSchemaBehind(opened);
    });
    if (behind) {
      const { migrations } = await import("./migrations/list.ts");
      await retryWhileBusy(options.busyMs, () => migrate(opened, migrations));
    }
    return opened;
  } catch (error) {
    connection?.close();
    throw storeError(error, options.path);
  }
}

function check(connection: Connection): readonly string[] {
  try {
    const rows = connection.prepare("pragma integrity_check").all() as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
  } catch (error) {
    return [errorMessage(error)];
  }
}
