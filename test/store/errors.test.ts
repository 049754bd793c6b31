import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { appendEvent, appendEvents, countEvents } from "../../src/store/events/events.ts";
import { openStore } from "../../src/store/open.ts";
import { connect } from "../../src/store/sqlite/engine.ts";
import { stores, withStore } from "../stores.ts";
import { type Children, bundleChildren } from "./children.ts";
import { anEvent } from "./samples.ts";

describe("a SQLite file that cannot be used", () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "oldhand-errors-"));
    path = join(dir, "mind.db");
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const opening = () => openStore({ database: path, busyMs: 50 });

  it("locked: says so after its patience, and works again afterwards", async () => {
    const store = await opening();
    const other = connect(path);
    other.exec("begin immediate");
    await expect(appendEvent(store.db, anEvent("a"))).rejects.toMatchObject({ code: "store-locked" });
    await expect(store.db.tx((tx) => appendEvent(tx, anEvent("a")))).rejects.toMatchObject({ code: "store-locked" });
    expect(await countEvents(store.db)).toBe(0);
    other.exec("rollback");
    expect(await appendEvent(store.db, anEvent("a"))).toBe(true);
    other.close();
    await store.close();
  });

  it("locked while it is opened: waits, without holding up whoever has it", async () => {
    const other = connect(path);
    other.exec("begin exclusive");
    const opening = openStore({ database: path, busyMs: 5_000 });
    setTimeout(() => other.exec("rollback"), 50);
    const store = await opening;
    expect(await appendEvent(store.db, anEvent("a"))).toBe(true);
    other.close();
    await store.close();
  });

  it("not a database: is left as it is", async () => {
    const text = "these are my notes, not a database\n".repeat(100);
    writeFileSync(path, text);
    await expect(opening()).rejects.toMatchObject({ code: "store-corrupt" });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("damaged: is called damaged, at opening or at the first read that meets it", async () => {
    const store = await opening();
    await appendEvents(
      store.db,
      Array.from({ length: 500 }, (_, i) => anEvent(`e${i}`, { text: "x".repeat(500) })),
    );
    await store.db.all("pragma wal_checkpoint(truncate)");
    await store.close();
    truncateSync(path, 100_000);
    const use = async () => {
      const damaged = await opening();
      try {
        return await damaged.check();
      } finally {
        await damaged.close();
      }
    };
    const problems = await use().catch((error: { code: string }) => [error.code]);
    expect(problems.length).toBeGreaterThan(0);
    const read = async () => {
      const damaged = await opening();
      try {
        for (const uid of ["e100", "e200", "e300", "e499"])
          await damaged.db.get("select text from events where session = 's1' and uid = ?", [uid]);
        await damaged.db.all("select * from events");
      } finally {
        await damaged.close();
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "store-corrupt" });
  });

  it("a directory: asks for a file", async () => {
    mkdirSync(path);
    await expect(opening()).rejects.toMatchObject({ code: "config", message: expect.stringContaining(path) });
  });

  it("in a folder that is not there: says where", async () => {
    path = join(dir, "no", "such", "folder", "mind.db");
    await expect(opening()).rejects.toMatchObject({ code: "config", message: expect.stringContaining(path) });
  });

  it("of a newer oldhand: is refused and stays byte for byte", async () => {
    await (await opening()).close();
    const newer = connect(path);
    newer.exec("pragma user_version = 999");
    newer.close();
    const before = readFileSync(path);
    await expect(opening()).rejects.toMatchObject({ code: "store-newer", hint: expect.stringContaining("update") });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.each([0, 1])("of somebody else (version %d): is refused and stays byte for byte", async (version) => {
    const theirs = connect(path);
    theirs.exec(`create table photos (id integer primary key, events text); pragma user_version = ${version}`);
    theirs.close();
    const before = readFileSync(path);
    await expect(opening()).rejects.toMatchObject({ code: "config", message: expect.stringContaining("photos") });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("full: says so, keeps what was there and works again with room", async () => {
    const store = await opening();
    await appendEvent(store.db, anEvent("kept"));
    const { pages } = (await store.db.get<{ pages: number }>("select page_count as pages from pragma_page_count"))!;
    await store.db.all(`pragma max_page_count = ${pages + 2}`);
    const big = Array.from({ length: 50 }, (_, i) => anEvent(`e${i}`, { text: "x".repeat(4_000) }));
    await expect(appendEvents(store.db, big)).rejects.toMatchObject({ code: "store-full" });
    await expect(store.db.tx((tx) => tx.tx((inner) => appendEvents(inner, big)))).rejects.toMatchObject({
      code: "store-full",
    });
    await store.db.all("pragma max_page_count = 1073741823");
    expect(await countEvents(store.db)).toBe(1);
    expect(await appendEvents(store.db, big)).toBe(50);
    expect(await store.check()).toEqual([]);
    await store.close();
  });

  it("with leftovers of a crash beside it: opens", async () => {
    const store = await opening();
    await appendEvent(store.db, anEvent("a"));
    await store.close();
    appendFileSync(`${path}-wal`, Buffer.alloc(300, 7));
    const again = await opening();
    expect(await countEvents(again.db)).toBe(1);
    await again.close();
  });

  describe("that may only be read", () => {
    let children: Children;
    beforeAll(async () => {
      children = await bundleChildren();
    });
    afterAll(() => children.remove());
    // Root may write anything, so this runs as the user nobody.
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};

    it("says so", async () => {
      await (await opening()).close();
      chmodSync(path, 0o444);
      chmodSync(dir, 0o555);
      const { lines, stderr } = await children.run(["write", path, "w", "1"], asNobody);
      chmodSync(dir, 0o755);
      expect(`${lines.join("\n")}${stderr}`).toMatch(/store-readonly|cannot be written/);
    });
  });
});

describe("a PostgreSQL that cannot be used", () => {
  const opening = (database: string) => openStore({ database, busyMs: 1_000 });

  it("not there: does not answer", async () => {
    await expect(opening("postgres://127.0.0.1:1/mind")).rejects.toMatchObject({ code: "store-unreachable" });
    await expect(opening("postgres://no-such-host.invalid/mind")).rejects.toMatchObject({ code: "store-unreachable" });
  });

  it("mute: does not answer within its time", async () => {
    const mute = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => mute.once("listening", resolve));
    const { port } = mute.address() as { port: number };
    await expect(opening(`postgres://127.0.0.1:${port}/mind`)).rejects.toMatchObject({ code: "store-unreachable" });
    mute.close();
  });

  it("with a wrong password or database: did not let us in, and the password is not told", async () => {
    const wrong = `${inject("postgres").replace(":local@", ":guessed@")}/postgres`;
    const refusal = await opening(wrong).catch((error: Error) => error);
    expect(refusal).toMatchObject({ code: "config" });
    expect(String(refusal)).not.toContain("guessed");
    await expect(opening(`${inject("postgres")}/no_such_database`)).rejects.toMatchObject({ code: "config" });
    await expect(opening("postgres://[")).rejects.toMatchObject({ code: "config" });
  });

  const withTables = async (sql: string, act: (database: string, client: pg.Client) => Promise<void>) => {
    const place = await stores[1]!.fresh();
    const client = new pg.Client({ connectionString: place.database });
    await client.connect();
    await client.query(sql);
    try {
      await act(place.database, client);
    } finally {
      await client.end();
      await place.remove();
    }
  };

  it.each([
    ["one of ours by name", "create table events (id int)", "events"],
    ["the last of ours by name", "create table slots (id int)", "slots"],
    ["both we tell ourselves by", "create table meta (a int); create table journal (b int)", "journal"],
    [
      "another's meta of the same shape",
      "create table meta (key text, value text); create table journal (b int)",
      "journal",
    ],
  ])("with strange tables, %s: is refused and left alone", (_, sql, name) =>
    withTables(sql, async (database, client) => {
      const tables = () => client.query("select tablename from pg_tables where schemaname = 'public' order by 1");
      const before = (await tables()).rows;
      await expect(opening(database)).rejects.toMatchObject({ code: "config", message: expect.stringContaining(name) });
      expect((await tables()).rows).toEqual(before);
      const beside = await openStore({ database: `${database}?schema=oldhand`, busyMs: 5_000 });
      expect(await appendEvent(beside.db, anEvent("a"))).toBe(true);
      await beside.close();
    }),
  );

  it("of a newer oldhand: is refused", () =>
    withStore(stores[1]!, async ({ db }, database) => {
      await db.run("update meta set value = '999' where key = 'schema'");
      await expect(opening(database)).rejects.toMatchObject({ code: "store-newer" });
    }));

  it("that drops our connections: fails what was under way, then works again", () =>
    withStore(stores[1]!, async ({ db }) => {
      const cut = db.tx(async (tx) => {
        await appendEvent(tx, anEvent("a"));
        await tx.all("select pg_terminate_backend(pg_backend_pid())");
      });
      await expect(cut).rejects.toMatchObject({ code: "store-unreachable" });
      await expect(db.all("select pg_terminate_backend(pg_backend_pid())")).rejects.toMatchObject({
        code: "store-unreachable",
      });
      expect(await countEvents(db)).toBe(0);
      const later = db.tx(async (tx) => {
        const { pid } = (await tx.get<{ pid: number }>("select pg_backend_pid() as pid"))!;
        // Between two statements of a transaction, when no answer is pending.
        await db.all("select pg_terminate_backend(?)", [pid]);
        await new Promise((resolve) => setTimeout(resolve, 50));
        await appendEvent(tx, anEvent("b"));
      });
      await expect(later).rejects.toMatchObject({ code: "store-unreachable" });
      expect(await appendEvent(db, anEvent("c"))).toBe(true);
    }));

  it("that takes no writes: says so", () =>
    withStore(stores[1]!, async ({ db }, database) => {
      await db.run(`alter database ${new URL(database).pathname.slice(1)} set default_transaction_read_only = on`);
      const reader = await openStore({ database, busyMs: 5_000 });
      await expect(appendEvent(reader.db, anEvent("a"))).rejects.toMatchObject({ code: "store-readonly" });
      await reader.close();
    }));

  it("given a name too long for its index: calls it bad input", () =>
    withStore(stores[1]!, async ({ db }) => {
      const long = Array.from({ length: 2_000 }, (_, i) => i.toString(36)).join("-");
      await expect(appendEvent(db, anEvent(long))).rejects.toMatchObject({ code: "input" });
    }));
});
