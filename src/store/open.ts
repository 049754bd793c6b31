import { existsSync } from "node:fs";
import { ensureFile } from "../lib/ensure-file.ts";
import { ensureHome } from "../lib/ensure-home.ts";
import type { Store } from "./engine/db.ts";
import { openSqlite } from "./sqlite/open.ts";
import type { FileSystemProbe } from "./sqlite/refuse-network-file.ts";

export interface StoreLocation {
  /** A file for SQLite, or a postgres:// URL. */
  readonly database: string;
  readonly busyMs: number;
  /** How long to wait for a server; default: `busyMs`. */
  readonly connectMs?: number;
  readonly cacheKb?: number;
  readonly logPages?: number;
  /** The name of this machine in a shared mind; empty: the computer's own name. */
  readonly machine?: string | undefined;
  /** Reads the address again, for each new connection to a server; absent: it stays. */
  readonly readAddress?: (() => string) | undefined;
  /** True to open a SQLite file on a network file system all the same. */
  readonly networkFile?: boolean | undefined;
  /** A hook looks at the file system only when it creates the file, and expects the tables of a server: commands have looked before. */
  readonly isHook?: boolean | undefined;
  /** For tests: another way to look up file systems. */
  readonly fileSystems?: FileSystemProbe | undefined;
}

/** Opens the store of a home; creates the home, and the SQLite file, if missing. */
export async function openStoreInHome(home: string, where: StoreLocation): Promise<Store> {
  ensureHome(home);
  if (!isServerAddress(where.database)) {
    if (where.networkFile !== true && !(where.isHook === true && existsSync(where.database))) {
      const { refuseNetworkFile } = await import("./sqlite/refuse-network-file.ts");
      await refuseNetworkFile(where.database, where.fileSystems);
    }
    ensureFile(where.database);
  }
  return openStore(where);
}

export async function openStore(where: StoreLocation): Promise<Store> {
  if (!isServerAddress(where.database)) {
    return openSqlite({
      path: where.database,
      busyMs: where.busyMs,
      ...(where.cacheKb === undefined ? {} : { cacheKb: where.cacheKb }),
      ...(where.logPages === undefined ? {} : { logPages: where.logPages }),
    });
  }
  // Loaded only if used: most minds are one file.
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres({
    url: where.database,
    connectMs: where.connectMs ?? where.busyMs,
    machine: where.machine,
    isHook: where.isHook,
    readAddress: where.readAddress,
  });
}

/** True for a server, which other machines may share and a network may slow down; false for a file. */
export function isServerAddress(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}
