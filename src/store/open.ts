import type { Store } from "./engine/db.ts";
import { openSqlite } from "./sqlite/open.ts";

export interface Where {
  /** A file for SQLite, or a postgres:// address. */
  readonly database: string;
  readonly busyMs: number;
  readonly cacheKb?: number;
}

export async function openStore(where: Where): Promise<Store> {
  if (!isPostgres(where.database)) {
    return openSqlite({
      path: where.database,
      busyMs: where.busyMs,
      ...(where.cacheKb === undefined ? {} : { cacheKb: where.cacheKb }),
    });
  }
  // Loaded only by those who use it: most minds are one file.
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres({ url: where.database, connectMs: where.busyMs });
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}
