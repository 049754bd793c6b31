import { readdirSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { appendEvent, appendEvents, countEvents } from "../../src/store/events/events.ts";
import { readMeta, writeMeta } from "../../src/store/state/meta.ts";
import { openStore } from "../../src/store/open.ts";
import { stores, withStore } from "../stores.ts";
import { anEvent } from "./samples.ts";

describe.each(stores)("transactions on $name", (kind) => {
  it("keep everything or nothing", () =>
    withStore(kind, async ({ db }) => {
      const failing = db.tx(async (tx) => {
        await appendEvent(tx, anEvent("a"));
        throw new Error("changed my mind");
      });
      await expect(failing).rejects.toThrow("changed my mind");
      expect(await countEvents(db)).toBe(0);
      await db.tx(async (tx) => void (await appendEvent(tx, anEvent("a"))));
      expect(await countEvents(db)).toBe(1);
    }));

  it("nest: what fails inside is taken back alone", () =>
    withStore(kind, async ({ db }) => {
      const keys = async () =>
        (await db.all<{ key: string }>("select key from meta order by key")).map((row) => row.key);
      const before = await keys();
      await db.tx(async (tx) => {
        await writeMeta(tx, "outer", "1");
        for (const name of ["first", "second"]) {
          const inner = tx.tx(async (nested) => {
            await writeMeta(nested, name, "1");
            await nested.tx((deeper) => writeMeta(deeper, `${name} deeper`, "1"));
            throw new Error("inner");
          });
          await expect(inner).rejects.toThrow("inner");
        }
        await tx.tx((nested) => writeMeta(nested, "third", "1"));
      });
      expect((await keys()).filter((key) => !before.includes(key))).toEqual(["outer", "third"]);
    }));

  it("are alone: statements beside them neither see nor join their half-done work", () =>
    withStore(kind, async ({ db }) => {
      const undone = db
        .tx(async (tx) => {
          await writeMeta(tx, "a", "1");
          await pause();
          throw new Error("undone");
        })
        .catch(() => "undone");
      await Promise.resolve();
      expect(await readMeta(db, "a")).toBeNull();
      await writeMeta(db, "b", "1");
      expect(await undone).toBe("undone");
      expect(await readMeta(db, "b")).toBe("1");
    }));

  it("let a reader through, however many transactions keep coming", () =>
    withStore(kind, async ({ db }) => {
      let read = false;
      let rounds = 0;
      const chain = async (): Promise<void> => {
        let next: Promise<void> | undefined;
        await db.tx(async (tx) => {
          await writeMeta(tx, "n", String(rounds++));
          if (!read && rounds < 500) next = chain();
        });
        await next;
      };
      const writing = chain();
      await readMeta(db, "n");
      read = true;
      const before = rounds;
      await writing;
      expect(before).toBeLessThan(500);
    }));

  it("add up under many at once", () =>
    withStore(kind, async ({ db }) => {
      await writeMeta(db, "n", "0");
      const addOne = () =>
        db.tx(async (tx) => {
          // Write first, so that both stores lock the row before it is read.
          await tx.run("update meta set value = value where key = 'n'");
          await writeMeta(tx, "n", String(Number(await readMeta(tx, "n")) + 1));
        });
      await Promise.all(Array.from({ length: 40 }, addOne));
      expect(await readMeta(db, "n")).toBe("40");
    }));
});

describe.each(stores)("a snapshot on $name", (kind) => {
  it("stays as it was while others write", () =>
    withStore(kind, async ({ db }, database) => {
      const other = await openStore({ database, busyMs: 5_000 });
      await appendEvent(db, anEvent("a"));
      await db.snapshot(async (view) => {
        expect(await countEvents(view)).toBe(1);
        await appendEvent(db, anEvent("b"));
        await appendEvents(other.db, [anEvent("c"), anEvent("d")]);
        expect(await countEvents(view)).toBe(1);
        await view.tx(async (inner) => expect(await countEvents(inner)).toBe(1));
        await view.snapshot(async (inner) => expect(await countEvents(inner)).toBe(1));
      });
      expect(await countEvents(db)).toBe(4);
      await other.close();
    }));

  it("cannot be written to", () =>
    withStore(kind, async ({ db }) => {
      await expect(db.snapshot((view) => appendEvent(view, anEvent("a")))).rejects.toMatchObject({
        code: "store-readonly",
      });
      expect(await countEvents(db)).toBe(0);
    }));
});

/** How often this process has the file open, or one beside it with a longer name. */
function countDescriptors(file: string): number {
  const isOfFile = (descriptor: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(file);
    } catch {
      // The one that the list was read with.
      return false;
    }
  };
  return readdirSync("/proc/self/fd").filter(isOfFile).length;
}

describe("a snapshot on SQLite", () => {
  it("holds nothing once it is over, however it ended", () =>
    withStore(stores[0]!, async ({ db }, database) => {
      await appendEvents(
        db,
        Array.from({ length: 100 }, (_, i) => anEvent(`e${i}`)),
      );
      await db.snapshot((view) => countEvents(view));
      await expect(db.snapshot((view) => view.all("select x from nowhere"))).rejects.toThrow();
      for await (const _ of db.stream("select * from events")) break;
      const open = () => (process.platform === "linux" ? countDescriptors(database) : 0);
      const before = open();
      if (process.platform === "linux") expect(before).toBeGreaterThan(0);
      for (let i = 0; i < 50; i++) await db.snapshot((view) => countEvents(view));
      expect(open()).toBe(before);
      await appendEvent(db, anEvent("more"));
      const [log] = await db.all<{ busy: number }>("pragma wal_checkpoint(truncate)");
      expect(log?.busy).toBe(0);
    }));
});

describe.each(stores)("streaming on $name", (kind) => {
  const all = "select uid from events where id > ? order by id";

  it("gives every row in order, in a transaction, in a snapshot and without either", () =>
    withStore(kind, async ({ db }) => {
      const uids = Array.from({ length: 4_500 }, (_, i) => `e${i}`);
      await appendEvents(
        db,
        uids.map((uid) => anEvent(uid)),
      );
      const gather = async (rows: AsyncIterable<unknown>) => {
        const found: unknown[] = [];
        for await (const row of rows) found.push((row as { uid: string }).uid);
        return found;
      };
      expect(await gather(db.stream(all, [0]))).toEqual(uids);
      expect(await db.snapshot((view) => gather(view.stream(all, [4_400])))).toHaveLength(100);
      expect(await db.tx((tx) => gather(tx.stream(all, [4_400])))).toHaveLength(100);
    }));

  it("may be left half-way, and two may run inside each other, while the reader writes", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(
        db,
        Array.from({ length: 3_000 }, (_, i) => anEvent(`e${i}`)),
      );
      const look = async (view: typeof db) => {
        for await (const outer of view.stream(all, [0])) {
          for await (const inner of view.stream(all, [1])) {
            expect([outer.uid, inner.uid]).toEqual(["e0", "e1"]);
            break;
          }
          break;
        }
      };
      for (let i = 0; i < 12; i++) await look(db);
      await db.snapshot(look);
      await db.tx(async (tx) => {
        await look(tx);
        await look(tx);
      });
      for await (const row of db.stream(all, [2_990])) await writeMeta(db, String(row.uid), "seen");
      expect(await readMeta(db, "e2999")).toBe("seen");
    }));

  it("reports bad SQL like any other statement", () =>
    withStore(kind, async ({ db }) => {
      const read = async () => {
        for await (const _ of db.stream("select x from nowhere")) throw new Error("a row");
      };
      await expect(read()).rejects.toThrow(/nowhere/);
      expect(await countEvents(db)).toBe(0);
    }));
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
