import { describe, expect, it } from "vitest";
import type { NewEvent } from "../../src/domain/event/event.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { searchWords } from "./search-words.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvents, countEvents, listSessionEvents } from "../../src/store/events/events.ts";
import { listSessions } from "../../src/store/sessions/sessions.ts";
import { stores, withStore } from "../stores.ts";
import { anEvent } from "./samples.ts";

describe.each(stores)("corrections on $name", (kind) => {
  const correctionsOf = async (db: Db, session = "s1") =>
    (await listSessionEvents(db, { host: "claude-code", id: session }, { after: -1, limit: 500 })).filter(
      (event) => event.kind === "correction",
    );

  it("become events of their own, at the place of their cause", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        aPrompt("p1", "install the packages"),
        anEvent("c1", { at: 2_000 }),
        aPrompt("p2", "no, use pnpm", { at: 3_000 }),
        anEvent("c2", { at: 4_000 }),
      ]);
      expect(await digest(db)).toBe(4);
      const events = await listSessionEvents(db, { host: "claude-code", id: "s1" }, { after: -1, limit: 50 });
      expect(events.map((event) => event.uid)).toEqual(["p1", "c1", "p2", "correction:p2", "c2"]);
      expect(events[3]).toMatchObject({
        kind: "correction",
        text: "no, use pnpm",
        at: 3_000,
        workspace: "/home/me/shop",
        tool: null,
        outcome: null,
        benign: false,
      });
    }));

  it("are made of a refused call's words, with the call they are about", () =>
    withStore(kind, async ({ db }) => {
      const error =
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse the staging host";
      // As a hook stores it: not digested.
      await appendEvents(db, [
        anEvent("c1", { ok: false, outcome: null, head: null, exitCode: null, error, input: { command: "ssh prod" } }),
      ]);
      await digest(db);
      expect(await correctionsOf(db)).toMatchObject([
        {
          uid: "correction:c1",
          text: "use the staging host",
          tool: "Bash",
          input: { command: "ssh prod" },
          error: null,
        },
      ]);
      expect((await listSessions(db, { limit: 5 }))[0]).toMatchObject({ failures: 0 });
    }));

  it("are made once, however often and by however many the events are digested", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [anEvent("c1"), aPrompt("p1", "that's wrong, it is a GET")]);
      await Promise.all([digest(db), digest(db)]);
      await db.run("delete from meta where key = 'digested'");
      await db.run("delete from sessions");
      await (await db.dialect.words()).drop(db);
      await digest(db);
      expect(await correctionsOf(db)).toHaveLength(1);
      expect(await countEvents(db)).toBe(3);
    }));

  it("count neither as what was observed nor twice among the words", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [anEvent("c1"), aPrompt("p1", "revert that zebra change")]);
      await digest(db);
      expect((await listSessions(db, { limit: 5 }))[0]).toMatchObject({ events: 2 });
      expect(await searchWords(db, "zebra", 9)).toHaveLength(1);
    }));

  it("need an agent that acted, seen in this digest or in an earlier one", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [aPrompt("p1", "don't use npm here", { session: "new" })]);
      await appendEvents(db, [anEvent("c1", { session: "old" })]);
      await digest(db);
      expect(await correctionsOf(db, "new")).toEqual([]);
      await appendEvents(db, [
        aPrompt("p2", "don't use npm here", { session: "old" }),
        aPrompt("p3", "let's start with the reader", { session: "old" }),
      ]);
      await digest(db);
      expect((await correctionsOf(db, "old")).map((event) => event.uid)).toEqual(["correction:p2"]);
    }));
});

function aPrompt(uid: string, text: string, over: Partial<NewEvent> = {}): NewEvent {
  return anEvent(uid, { kind: "prompt", tool: null, head: null, input: null, ok: null, outcome: null, text, ...over });
}
