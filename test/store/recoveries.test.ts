import { describe, expect, it } from "vitest";
import type { NewEvent } from "../../src/domain/event/event.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { listRecoveriesOf } from "../../src/store/derived/recoveries.ts";
import { stores, withStore } from "../stores.ts";
import { aFailure, anEvent } from "./samples.ts";

describe.each(stores)("recoveries on $name", (kind) => {
  const pairs = async (db: Db, within = 20) => {
    const rows = await db.all<{ id: number; uid: string }>("select id, uid from events");
    const uids = new Map(rows.map((row) => [row.id, row.uid]));
    const found = await listRecoveriesOf(
      db,
      rows.map((row) => row.id),
      within,
    );
    return found.map(({ failure, by }) => `${uids.get(failure)} → ${by.uid}`).toSorted();
  };

  it("are found when the events are digested, once", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [broken("a", "npm test"), anEvent("b"), worked("c", "npm test -- --run")]);
      await digest(db);
      await digest(db);
      expect(await pairs(db)).toEqual(["a → c"]);
    }));

  it("are found across digests, in the session they belong to", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [broken("a1", "make x"), broken("b1", "make x", { session: "s2" })]);
      await digest(db);
      await appendEvents(db, [anEvent("a2", { head: "ls", input: { command: "ls" } })]);
      await digest(db);
      await appendEvents(db, [worked("b2", "make x -j", { session: "s2" }), worked("a3", "make x -k")]);
      await digest(db);
      expect(await pairs(db)).toEqual(["a1 → a3", "b1 → b2"]);
    }));

  it("are found across the batches of one digest", () =>
    withStore(kind, async ({ db }) => {
      const others = (count: number, name: string) =>
        Array.from({ length: count }, (_, i) => anEvent(`${name}${i}`, { session: `${name}${i % 50}` }));
      await appendEvents(db, [
        ...others(1_998, "x"),
        broken("a", "make x"),
        ...others(1, "y"),
        worked("b", "make x -j"),
        ...others(2_500, "z"),
      ]);
      await digest(db);
      expect(await pairs(db)).toEqual(["a → b"]);
    }));

  it("count only as near as the reader's policy says", () =>
    withStore(kind, async ({ db }) => {
      const between = Array.from({ length: 5 }, (_, i) => anEvent(`n${i}`, { head: "ls", input: { command: "ls" } }));
      await appendEvents(db, [broken("a", "make x"), ...between, worked("b", "make x -j")]);
      await digest(db);
      expect(await pairs(db, 5)).toEqual([]);
      expect(await pairs(db, 6)).toEqual(["a → b"]);
    }));

  it("are not made of two agents' calls", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [broken("a", "make x"), worked("b", "make x -j", { agent: "sub" })]);
      await digest(db);
      expect(await pairs(db)).toEqual([]);
    }));

  it("are the same whether events are digested one by one or all at once", () =>
    withStore(kind, async ({ db }) => {
      const events = Array.from({ length: 120 }, (_, i) => {
        const over = { session: `s${i % 3}`, at: i * 1_000 };
        return i % 7 === 0
          ? broken(`e${i}`, `make x ${i}`, over)
          : worked(`e${i}`, i % 5 === 0 ? `make x ${i}` : "ls", over);
      });
      await appendEvents(db, events);
      await digest(db);
      const atOnce = await db.all(
        "select failure, recovery, apart, calls, ms, characters from recoveries order by failure",
      );
      await db.run("delete from recoveries");
      await db.run("delete from events");
      await db.run("delete from meta where key = 'digested'");
      await (await db.dialect.words()).drop(db);
      for (const event of events) {
        await appendEvents(db, [event]);
        await digest(db);
      }
      const first = (await db.get<{ id: number }>("select min(id) as id from events"))?.id ?? 0;
      const oneByOne = await db.all<Record<string, number>>(
        "select failure, recovery, apart, calls, ms, characters from recoveries order by failure",
      );
      expect(atOnce.length).toBeGreaterThan(5);
      expect(
        oneByOne.map((row) => ({
          ...row,
          failure: (row["failure"] ?? 0) - first + 1,
          recovery: (row["recovery"] ?? 0) - first + 1,
        })),
      ).toEqual(atOnce.map((row) => ({ ...(row as object) })));
    }));
});

function worked(uid: string, command: string, over: Partial<NewEvent> = {}): NewEvent {
  return anEvent(uid, { head: headOf(command), input: { command }, ...over });
}

function broken(uid: string, command: string, over: Partial<NewEvent> = {}): NewEvent {
  return aFailure(uid, "sig", { head: headOf(command), input: { command }, ...over });
}

function headOf(command: string): string {
  return command.split(" ").slice(0, 2).join(" ");
}
