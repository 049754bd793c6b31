import { describe, expect, it } from "vitest";
import {
  appendEvent,
  appendEvents,
  countEvents,
  listEventsAfter,
  getEventsByIds,
  listSessionEvents,
  listFailuresBySignature,
  getEvent,
} from "../../src/store/events/events.ts";
import { stores, withStore } from "../stores.ts";
import { aFailure, anEvent } from "./samples.ts";

describe.each(stores)("events on $name", (kind) => {
  it("stores an event once, however often it arrives", () =>
    withStore(kind, async ({ db }) => {
      expect(await appendEvent(db, anEvent("a"))).toBe(true);
      expect(await appendEvent(db, anEvent("a", { text: "told differently" }))).toBe(false);
      expect(await appendEvent(db, anEvent("a", { host: "codex" }))).toBe(true);
      expect(await appendEvent(db, anEvent("a", { session: "s2" }))).toBe(true);
      expect(await appendEvents(db, [anEvent("a"), anEvent("b"), anEvent("b")])).toBe(1);
      expect(await countEvents(db)).toBe(4);
      expect((await getEvent(db, 1))?.text).toBeNull();
    }));

  it("gives back every field as it was stored", () =>
    withStore(kind, async ({ db }) => {
      const event = aFailure("a", "npm err", {
        seq: 7,
        benign: true,
        input: { command: "npm test", nested: [1, null, "ü"] },
        text: "words",
        model: "opus",
        agent: "reviewer",
      });
      await appendEvent(db, event);
      const [found] = await listEventsAfter(db, 0, 10, 10);
      expect(found).toEqual({ ...event, id: found?.id });
      expect(await getEvent(db, found?.id ?? 0)).toEqual(found);
      expect(await getEventsByIds(db, [found?.id ?? 0, 99])).toEqual([found]);
      expect(await getEvent(db, 99)).toBeNull();
    }));

  it("takes a batch whole or not at all", () =>
    withStore(kind, async ({ db }) => {
      const batch = Array.from({ length: 1_203 }, (_, i) => anEvent(`e${i}`));
      const spoiled = [...batch.slice(0, -1), anEvent("bad", { kind: null as never })];
      await expect(appendEvents(db, spoiled)).rejects.toThrow(/null/i);
      expect(await countEvents(db)).toBe(0);
      expect(await appendEvents(db, batch)).toBe(1_203);
      expect(await appendEvents(db, [])).toBe(0);
    }));

  it("pages through the store in the order of arrival", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(
        db,
        Array.from({ length: 25 }, (_, i) => anEvent(`e${i}`, { at: 100 - i })),
      );
      const seen: string[] = [];
      for (let last = 0; ;) {
        const page = await listEventsAfter(db, last, Number.MAX_SAFE_INTEGER, 10);
        if (page.length === 0) break;
        seen.push(...page.map((event) => event.uid));
        last = page.at(-1)?.id ?? 0;
      }
      expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => `e${i}`));
      expect((await listEventsAfter(db, 0, 3, 10)).map((event) => event.uid)).toEqual(["e0", "e1", "e2"]);
    }));

  it("tells a session in the order its source counts, whatever order it arrived in", () =>
    withStore(kind, async ({ db }) => {
      const arriving = [5, 1, 4, 2, 3].map((seq) => anEvent(`e${seq}`, { seq }));
      await appendEvents(db, [
        ...arriving,
        anEvent("other", { session: "s2", seq: 1 }),
        anEvent("alien", { host: "codex", seq: 1 }),
      ]);
      const session = { host: "claude-code", id: "s1" };
      const first = await listSessionEvents(db, session, { after: 0, limit: 3 });
      expect(first.map((event) => event.uid)).toEqual(["e1", "e2", "e3"]);
      const rest = await listSessionEvents(db, session, { after: first.at(-1)?.seq ?? 0, limit: 3 });
      expect(rest.map((event) => event.uid)).toEqual(["e4", "e5"]);
    }));

  it("loses no event of a session at a page's end, even where two share a place", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(
        db,
        [1, 2, 2, 2, 3].map((seq, i) => anEvent(`e${i}`, { seq })),
      );
      const seen: string[] = [];
      for (let last = 0; ;) {
        const page = await listSessionEvents(db, { host: "claude-code", id: "s1" }, { after: last, limit: 2 });
        if (page.length === 0) break;
        seen.push(...page.map((event) => event.uid));
        last = page.at(-1)?.seq ?? 0;
      }
      expect(seen).toEqual(["e0", "e1", "e2", "e3", "e4"]);
    }));

  it("numbers an event by its arrival where its source does not count", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [anEvent("a"), anEvent("b")]);
      const events = await listSessionEvents(db, { host: "claude-code", id: "s1" }, { after: 0, limit: 9 });
      expect(events.map((event) => event.seq)).toEqual(events.map((event) => event.id));
    }));

  it("finds the failures of a signature, newest first, without benign ones", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        aFailure("a", "x"),
        aFailure("b", "x", { benign: true }),
        aFailure("c", "y"),
        anEvent("d", { signature: "x" }),
        aFailure("e", "x"),
      ]);
      expect((await listFailuresBySignature(db, "x", 9)).map((event) => event.uid)).toEqual(["e", "a"]);
      expect(await listFailuresBySignature(db, "x", 1)).toHaveLength(1);
    }));

  it("makes text no database can hold storable, and keeps all the rest of it", () =>
    withStore(kind, async ({ db }) => {
      const odd = "before\0after \ud800 half 😀 whole";
      await appendEvent(db, anEvent("a\0b", { text: odd, error: odd, input: { command: odd }, cwd: "/tmp/\0" }));
      const [found] = await listEventsAfter(db, 0, 10, 10);
      expect(found?.text).toBe("before␀after \ufffd half 😀 whole");
      expect(found?.uid).toBe("a␀b");
      expect(found?.input).toEqual({ command: odd });
      expect(await appendEvent(db, anEvent("a\0b"))).toBe(false);
      expect(await listSessionEvents(db, { host: "claude-code", id: "s1" }, { after: 0, limit: 9 })).toHaveLength(1);
    }));

  it("holds payloads of a megabyte", () =>
    withStore(kind, async ({ db }) => {
      const big = "päyload ".repeat(125_000);
      await appendEvents(db, [anEvent("a", { text: big, input: { content: big } }), anEvent("b")]);
      const [found] = await listEventsAfter(db, 0, 10, 1);
      expect(found?.text === big).toBe(true);
      expect(JSON.stringify(found?.input) === JSON.stringify({ content: big })).toBe(true);
    }));

  it("rounds numbers a source gives with a fraction, and leaves out what is no number", () =>
    withStore(kind, async ({ db }) => {
      await appendEvent(db, anEvent("a", { at: 1_000.6, durationMs: 12.4, exitCode: Number.NaN }));
      const [found] = await listEventsAfter(db, 0, 10, 1);
      expect(found).toMatchObject({ at: 1_001, durationMs: 12, exitCode: null });
    }));
});
