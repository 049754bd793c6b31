import { ensureFile } from "../lib/ensure-file.ts";
import { ensureHome } from "../lib/ensure-home.ts";
import type { Store } from "./engine/db.ts";
import { openSqlite } from "./sqlite/open.ts";

export interface StoreLocation {
  /** A file for SQLite, or a postgres:// address. */
  readonly database: string;
  readonly busyMs: number;
  readonly cacheKb?: number;
  readonly logPages?: number;
}

/** The same for the mind of a home: the home, and the file where it is one, are made if they are missing. */
export async function openStoreInHome(home: string, where: StoreLocation): Promise<Store> {
  ensureHome(home);
  if (!isPostgres(where.database)) ensureFile(where.database);
  return openStore(where);
}

export async function openStore(where: StoreLocation): Promise<Store> {
  if (!isPostgres(where.database)) {
    return openSqlite({
      path: where.database,
      busyMs: where.busyMs,
      ...(where.cacheKb === undefined ? {} : { cacheKb: where.cacheKb }),
      ...(where.logPages === undefined ? {} : { logPages: where.logPages }),
    });
  }
  // Loaded only by those who use it: most minds are one file.
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres({ url: where.database, connectMs: where.busyMs });
}

function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}
