import { randomUUID } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import type { Store } from "../src/store/engine/db.ts";
import { openStore } from "../src/store/open.ts";

/** Creates a separate database for each test, on either store; suites run on both. */
export interface TestStore {
  readonly name: "sqlite" | "postgres";
  /** A new, empty database, for `openStore` and OLDHAND_DATABASE. */
  fresh(): Promise<TestDatabase>;
  /** The same with migrations already run, which take longer than most tests. */
  migrated(): Promise<TestDatabase>;
}

export interface TestDatabase {
  readonly database: string;
  remove(): Promise<void>;
}

const both: readonly TestStore[] = [
  {
    name: "sqlite",
    fresh: async () => newFile(),
    migrated: async () => {
      const place = newFile();
      copyFileSync(inject("templates").sqlite, place.database);
      return place;
    },
  },
  {
    name: "postgres",
    fresh: () => newDatabase("template1"),
    migrated: () => newDatabase(inject("templates").postgres),
  },
];

/** Both, unless the run has no server (`test/sqlite-template.ts`). */
export const stores = process.env["OLDHAND_TEST_STORES"] === "sqlite" ? both.filter(isSqlite) : both;

function isSqlite(kind: TestStore): boolean {
  return kind.name === "sqlite";
}

function newFile(): TestDatabase {
  const dir = mkdtempSync(join(tmpdir(), "oldhand-store-"));
  return { database: join(dir, "mind.db"), remove: async () => rmSync(dir, { recursive: true, force: true }) };
}

async function newDatabase(template: string): Promise<TestDatabase> {
  const address = inject("postgres");
  const name = `t_${randomUUID().replaceAll("-", "")}`;
  // Copied as files: a server that keeps its data in memory writes them faster than the log of them.
  await admin(address, `create database ${name} template ${template} strategy file_copy`);
  return {
    database: `${address}/${name}`,
    remove: () => admin(address, `drop database if exists ${name} with (force)`),
  };
}

export async function withStore(
  kind: TestStore,
  act: (store: Store, database: string) => Promise<void>,
): Promise<void> {
  const place = await kind.migrated();
  const store = await openStore({ database: place.database, busyMs: 10_000 });
  try {
    await act(store, place.database);
  } finally {
    await store.close();
    await place.remove();
  }
}

let admins: pg.Pool | undefined;

/** Over connections that stay open for the next test: to make one takes the server as long as a small statement. */
async function admin(address: string, sql: string): Promise<void> {
  admins ??= newAdmins(address);
  await admins.query(sql);
}

function newAdmins(address: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: `${address}/postgres`, max: 2, allowExitOnIdle: true });
  // The server may end before this process does.
  pool.on("error", () => {});
  return pool;
}
