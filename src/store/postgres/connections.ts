import type pg from "pg";
import type { Db } from "../engine/db.ts";
import type { PostgresLocation } from "./url.ts";

export interface PostgresConnections {
  readonly driver: typeof pg;
  readonly pool: pg.Pool;
  readonly where: PostgresLocation;
}

/** What is behind an open database, for the few parts that need more than its interface. */
export const connectionsOf = new WeakMap<Db, PostgresConnections>();
