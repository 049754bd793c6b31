import type pg from "pg";
import { errorMessage } from "../../lib/errors.ts";
import { machineName } from "../../lib/machine-name.ts";
import type { Store } from "../engine/db.ts";
import { connectionsOf } from "./connections.ts";
import { postgresDb } from "./db.ts";
import { storeError } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { newClientClass } from "./client-class.ts";
import { followLocation, parsePostgresUrl } from "./url.ts";
import { watchChannel } from "./watch.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly connectMs: number;
  readonly poolSize?: number;
  /** Default: the computer's own name. */
  readonly machine?: string | undefined;
  /** A hook finds the tables made by others, as a rule, and every round trip counts. */
  readonly isHook?: boolean | undefined;
  /** Reads the address again, for each new connection: the password may have been changed. Absent: it stays. */
  readonly readAddress?: (() => string) | undefined;
}

export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { default: driver } = await import("pg");
  const where = followLocation(parsePostgresUrl(options.url), options.readAddress);
  const refused = new AbortController();
  const pool = new driver.Pool({
    Client: newClientClass(driver, where, (error) => {
      if (options.readAddress === undefined) refused.abort(storeError(error, where.place));
    }),
    connectionTimeoutMillis: options.connectMs,
    max: options.poolSize ?? 8,
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    application_name: "oldhand",
    types: { getTypeParser: numberParsers(driver) },
    ...(where.schema === null ? {} : { options: `-c search_path=${where.schema}` }),
  });
  // A connection lost while idle is replaced at its next use; without a listener Node would end the process.
  pool.on("error", () => {});
  // The same for a connection lost inside a transaction: the next statement reports it.
  pool.on("connect", (client) => client.on("error", () => {}));
  const db = postgresDb(pool, {
    place: where.place,
    prepare: !where.throughPooler,
    machine: options.machine || machineName(),
  });
  try {
    await migrate(pool, where, options.isHook);
  } catch (error) {
    await pool.end();
    throw storeError(error, where.place);
  }
  connectionsOf.set(db, { driver, pool, where });
  return {
    db,
    kind: "postgres",
    location: where.place,
    watch: (onChange) => watchChannel(driver, pool, where, onChange),
    check: async () => {
      try {
        await pool.query("select count(*) from journal");
        return [];
      } catch (error) {
        return [errorMessage(error)];
      }
    },
    measureReach: async () => {
      const { measureReach } = await import("./reach.ts");
      return measureReach(driver, where.connection, options.connectMs);
    },
    refused: refused.signal,
    // What ends the connections is sent at once; the server's goodbye would cost a round trip.
    leave: async () => void db.close().catch(() => {}),
    close: () => db.close(),
  };
}

/** bigint arrives as text by default; our numbers are milliseconds and ids, far below 2^53. */
export function numberParsers(driver: typeof pg): typeof pg.types.getTypeParser {
  const INT8 = 20;
  const parse = driver.types.getTypeParser as (oid: number, format?: string) => unknown;
  return ((oid: number, format?: string) =>
    oid === INT8 ? Number : parse(oid, format)) as typeof pg.types.getTypeParser;
}
