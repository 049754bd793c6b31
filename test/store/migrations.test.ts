import { migrations as postgresMigrations } from "../../src/store/postgres/migrations/list.ts";
import { SCHEMA_VERSION } from "../../src/store/engine/schema-version.ts";
import { migrate, refuseForeignFile } from "../../src/store/sqlite/migrate.ts";
import { migrations as sqliteMigrations } from "../../src/store/sqlite/migrations/list.ts";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendEvent, countEvents } from "../../src/store/events/events.ts";
import { openStore } from "../../src/store/open.ts";
import { connect } from "../../src/store/sqlite/engine.ts";
import { stores, withStore } from "../stores.ts";
import { type Children, bundleChildren } from "./children.ts";
import { postgresSchema, sqliteSchema } from "./schema-text.ts";
import { anEvent } from "./samples.ts";

describe.each(stores)("migrations on $name", (kind) => {
  let children: Children;
  beforeAll(async () => {
    children = await bundleChildren();
  });
  afterAll(() => children.remove());

  it("run once: a second opening changes nothing and keeps what is there", () =>
    withStore(kind, async ({ db }, database) => {
      await appendEvent(db, anEvent("a"));
      const again = await openStore({ database, busyMs: 5_000 });
      expect(await countEvents(again.db)).toBe(1);
      await again.close();
    }));

  it("run once when six processes open a new database at the same time", async () => {
    for (let round = 0; round < 3; round++) {
      const place = await kind.fresh();
      const ended = await Promise.all(Array.from({ length: 6 }, () => children.run(["open", place.database])));
      expect(ended.map((one) => [one.code, ...one.lines, one.stderr])).toEqual(
        Array.from({ length: 6 }, () => [0, "opened", ""]),
      );
      const store = await openStore({ database: place.database, busyMs: 5_000 });
      expect(await store.check()).toEqual([]);
      expect(await appendEvent(store.db, anEvent("a"))).toBe(true);
      await store.close();
      await place.remove();
    }
  });
});

describe("a process that opens a new file while another one creates its tables", () => {
  it("takes the file for ours, whichever statement the other process comes between", async () => {
    for (const after of [1, 2]) {
      const place = await stores[0]!.fresh();
      const other = connect(place.database);
      const ours = connect(place.database);
      let statements = 0;
      const watched = {
        ...unused,
        prepare(sql: string) {
          if (statements++ === after) migrate(other, sqliteMigrations);
          return ours.prepare(sql);
        },
      };
      expect(() => refuseForeignFile(watched, place.database)).not.toThrow();
      ours.close();
      other.close();
      await place.remove();
    }
  });
});

const unused = {
  exec: (sql: string) => expect.fail(sql),
  enableLoadExtension: () => expect.fail("no extension is needed"),
  loadExtension: (path: string) => expect.fail(path),
  close: () => expect.fail("the caller closes"),
};

describe("the schema's version", () => {
  it("is said where nobody need load the migrations, and is their number", () => {
    expect([sqliteMigrations.length, postgresMigrations.length]).toEqual([SCHEMA_VERSION, SCHEMA_VERSION]);
  });
});

// After a new migration run: npx vitest run test/store/migrations.test.ts -u
describe("the committed schema", () => {
  it("is what the migrations make of a new SQLite file", () =>
    withStore(stores[0]!, async (_, database) => {
      const connection = connect(database, { readOnly: true });
      await expect(sqliteSchema(connection)).toMatchFileSnapshot("../../src/store/sqlite/schema.sql");
      connection.close();
    }));

  it("is what the migrations make of a new PostgreSQL database", () =>
    withStore(stores[1]!, async (_, database) => {
      const client = new pg.Client({ connectionString: database });
      await client.connect();
      const schema = await postgresSchema(client);
      await client.end();
      await expect(schema).toMatchFileSnapshot("../../src/store/postgres/schema.sql");
    }));
});

describe("migrations that SQLite itself took back, as it does on a full disk", () => {
  it("tell what went wrong first, and leave the file as it was", () => {
    const connection = connect(":memory:");
    expect(() => migrate(connection, ["create table a (x)", "rollback; select no_room()"])).toThrow(/no_room/);
    expect(connection.prepare("select count(*) as n from sqlite_master").get()).toEqual({ n: 0 });
    connection.close();
  });
});
