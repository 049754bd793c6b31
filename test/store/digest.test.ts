import { describe, expect, it } from "vitest";
import { searchWords } from "./search-words.ts";
import { digest, rebuildWordIndex } from "../../src/store/derived/digest.ts";
import { appendEvent, appendEvents, getEventsByIds } from "../../src/store/events/events.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { openStore } from "../../src/store/open.ts";
import { findSessions, listSessions } from "../../src/store/sessions/sessions.ts";
import { stores, withStore } from "../stores.ts";
import { aFailure, anEvent } from "./samples.ts";

describe.each(stores)("digesting on $name", (kind) => {
  it("derives sessions from their events", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        anEvent("a", { kind: "session-start", at: 100, workspace: null, cwd: null }),
        anEvent("b", { at: 300, model: "sonnet" }),
        aFailure("c", "x", { at: 200 }),
        aFailure("d", "x", { at: 400, benign: true, model: "opus", cwd: "/elsewhere" }),
        anEvent("e", { session: "s2", at: 900, host: "codex", workspace: "/w2" }),
        anEvent("f", { kind: "session-end", at: 500 }),
      ]);
      expect(await digest(db)).toBe(6);
      expect(await listSessions(db, { limit: 10 })).toEqual([
        {
          host: "codex",
          id: "s2",
          workspace: "/w2",
          cwd: "/home/me/shop",
          model: null,
          startedAt: 900,
          lastAt: 900,
          endedAt: null,
          events: 1,
          failures: 0,
        },
        {
          host: "claude-code",
          id: "s1",
          workspace: "/home/me/shop",
          cwd: "/home/me/shop",
          model: "opus",
          startedAt: 100,
          lastAt: 500,
          endedAt: 500,
          events: 5,
          failures: 1,
        },
      ]);
      expect(await listSessions(db, { limit: 10, failing: true })).toHaveLength(1);
      expect(await listSessions(db, { limit: 10, hosts: ["codex"] })).toHaveLength(1);
      expect(await listSessions(db, { limit: 10, workspace: "/w2", before: 900 })).toHaveLength(0);
      expect((await findSessions(db, "s")).map((one) => one.id)).toEqual(["s1", "s2"]);
      expect((await findSessions(db, "s2")).map((one) => one.id)).toEqual(["s2"]);
    }));

  it("costs what is new: a second time there is nothing to do, then only the rest", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, many(4_100, 41));
      expect(await digest(db)).toBe(4_100);
      expect(await digest(db)).toBe(0);
      await appendEvents(db, [aFailure("late", "x", { session: "s0", at: 5 })]);
      expect(await digest(db)).toBe(1);
      const [session] = await findSessions(db, "s0");
      expect(session).toMatchObject({ events: 101, failures: 1, startedAt: 5 });
    }));

  it("folds each event once, however many digest at the same time", () =>
    withStore(kind, async ({ db }, database) => {
      const others = await Promise.all([0, 1, 2].map(() => openStore({ database, busyMs: 10_000 })));
      await appendEvents(db, many(5_000, 7));
      const dbs = [db, ...others.map((other) => other.db)];
      const digested = await Promise.all(dbs.map((one) => digest(one)));
      expect(sum(digested)).toBe(5_000);
      expect(sum((await listSessions(db, { limit: 99 })).map((one) => one.events))).toBe(5_000);
      await Promise.all(others.map((other) => other.close()));
    }));

  it("skips no event while writers and digesters run at once", () =>
    withStore(kind, async ({ db }, database) => {
      const other = await openStore({ database, busyMs: 10_000 });
      let writing = true;
      const write = async (on: Db, name: string) => {
        for (let i = 0; i < 60; i++) await appendEvents(on, many(5, 1, `${name}-${i}`));
      };
      const keepDigesting = async () => {
        while (writing) {
          await digest(db);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      };
      const digesting = keepDigesting();
      await Promise.all([write(db, "a"), write(other.db, "b"), write(other.db, "c")]);
      writing = false;
      await digesting;
      await digest(db);
      expect(sum((await listSessions(db, { limit: 99 })).map((one) => one.events))).toBe(900);
      await other.close();
    }));
});

describe.each(stores)("searching words on $name", (kind) => {
  const found = async (db: Db, query: string) => {
    const hits = await searchWords(db, query, 20);
    const events = await getEventsByIds(
      db,
      hits.map((hit) => hit.id),
    );
    return events.map((event) => event.uid).toSorted();
  };

  it("finds prompts, commands, errors and file names by their words", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        anEvent("prompt", { kind: "prompt", input: null, head: null, text: "Deploying the café website" }),
        anEvent("path", { input: { file_path: "/srv/shop/src/basket/checkout_page.tsx" }, head: null }),
        aFailure("host", "x", { input: null, head: null, error: "getaddrinfo ENOTFOUND registry.npmjs.org" }),
        anEvent("mail", { input: { command: "git config user.email ann@example.com" }, head: "git config" }),
      ]);
      await digest(db);
      expect(await found(db, "deploy")).toEqual(["prompt"]);
      expect(await found(db, "CAFÉ")).toEqual(["prompt"]);
      expect(await found(db, "basket")).toEqual(["path"]);
      expect(await found(db, "checkout_page")).toEqual(["path"]);
      expect(await found(db, "npmjs")).toEqual(["host"]);
      expect(await found(db, "example")).toEqual(["mail"]);
      expect(await found(db, "basket enotfound")).toEqual(["host", "path"]);
      expect(await found(db, "zebra")).toEqual([]);
    }));

  it("ranks what says more of the question first", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        anEvent("little", {
          input: null,
          head: null,
          text: "the migration of a table took some time, all in all it went well enough",
        }),
        anEvent("much", { input: null, head: null, text: "migration failed: rollback of the migration" }),
      ]);
      await digest(db);
      const hits = await searchWords(db, "migration rollback", 5);
      expect(hits.map((hit) => hit.id)).toEqual([2, 1]);
      expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score ?? Infinity);
    }));

  it("reads nothing a person types as query syntax", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [anEvent("a", { text: "plain words here" })]);
      await digest(db);
      const typed = [
        `"`,
        `'`,
        `''words`,
        `words"`,
        "words*",
        "NOT words",
        "words AND",
        "NEAR(words, 2)",
        "text:words",
        "(words",
        "words)",
        "-words",
        "^words",
        "words:*",
        "!words",
        "words <-> here",
        "words & | !",
        "\\words",
        "?",
        "$1 words",
        "words\0",
        "\ud800 words",
      ];
      for (const query of typed) {
        const hits = await found(db, query);
        if (/words/.test(query)) expect(hits, query).toEqual(["a"]);
        else expect(hits, query).toEqual([]);
      }
      expect(await found(db, "")).toEqual([]);
      expect(await found(db, "x".repeat(5_000))).toEqual([]);
      expect(await found(db, `words ${Array.from({ length: 3_000 }, (_, i) => `w${i}`).join(" ")}`)).toEqual(["a"]);
    }));

  it("indexes text that holds NULs, half surrogates, endless words and a megabyte", () =>
    withStore(kind, async ({ db }) => {
      await appendEvent(db, anEvent("a", { text: "one\0two \ud800 three", input: { command: "four\0five" } }));
      await appendEvent(db, anEvent("b", { text: `six ${"x".repeat(3_000)} seven`, input: "y".repeat(1_000_000) }));
      await digest(db);
      for (const word of ["one", "two", "three", "four"]) expect(await found(db, word), word).toEqual(["a"]);
      expect(await found(db, "six")).toEqual(["b"]);
    }));

  it("comes back when the index was lost, and only once per event", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, many(2_300, 3));
      await digest(db);
      const before = await searchWords(db, "event 77", 5);
      await (await db.dialect.words()).drop(db);
      expect(await found(db, "event")).toEqual([]);
      expect(await rebuildWordIndex(db)).toBe(2_300);
      await appendEvent(db, anEvent("new", { text: "brand new" }));
      expect(await rebuildWordIndex(db)).toBe(2_300);
      expect(await digest(db)).toBe(1);
      expect(await found(db, "brand")).toEqual(["new"]);
      const after = await searchWords(db, "event 77", 5);
      expect(after[0]?.id).toBe(before[0]?.id);
      expect(sum((await listSessions(db, { limit: 9 })).map((one) => one.events))).toBe(2_301);
    }));
});

describe("digesting on PostgreSQL", () => {
  const kind = stores[1];

  it("does not skip an event whose number was given out before but committed after", () =>
    withStore(kind!, async ({ db }, database) => {
      const other = await openStore({ database, busyMs: 10_000 });
      let commit = (): void => {};
      const held = new Promise<void>((resolve) => {
        commit = resolve;
      });
      let inserted = (): void => {};
      const isInserted = new Promise<void>((resolve) => {
        inserted = resolve;
      });
      const slow = other.db.tx(async (tx) => {
        await appendEvent(tx, anEvent("slow", { session: "slow" }));
        inserted();
        await held;
      });
      await isInserted;
      await appendEvent(db, anEvent("quick", { session: "quick" }));
      const digesting = digest(db);
      await new Promise((resolve) => setTimeout(resolve, 100));
      commit();
      await slow;
      await digesting;
      await digest(db);
      const sessions = await listSessions(db, { limit: 9 });
      expect(sessions.map((one) => one.id).toSorted()).toEqual(["quick", "slow"]);
      await other.close();
    }));

  it("does not hold up writers for long behind one that never finishes", () =>
    withStore(kind!, async ({ db }, database) => {
      const other = await openStore({ database, busyMs: 10_000 });
      let release = (): void => {};
      const stuck = new Promise<void>((resolve) => {
        release = resolve;
      });
      let inserted = (): void => {};
      const isInserted = new Promise<void>((resolve) => {
        inserted = resolve;
      });
      const hanging = other.db.tx(async (tx) => {
        await appendEvent(tx, anEvent("slow"));
        inserted();
        await stuck;
      });
      await isInserted;
      await appendEvent(db, anEvent("before"));
      const digesting = digest(db);
      await appendEvent(db, anEvent("after"));
      // It stopped waiting instead of digesting events with an uncommitted id below them.
      expect(await digesting).toBe(0);
      release();
      await hanging;
      expect(await digest(db)).toBe(3);
      await other.close();
    }));
});

function many(count: number, sessions: number, prefix = "e") {
  return Array.from({ length: count }, (_, i) =>
    anEvent(`${prefix}-${i}`, {
      session: `s${i % sessions}`,
      at: 1_000 + i,
      text: `event ${i}`,
      input: null,
      head: null,
    }),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
