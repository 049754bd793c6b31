import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { owner } from "../../src/domain/actor.ts";
import { MINUTE } from "../../src/lib/clock.ts";
import { findLiveSessions } from "../../src/operations/sessions/live-sessions.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { noteImportedEvents } from "../../src/store/events/imported-sessions.ts";
import { listSessions } from "../../src/store/sessions/sessions.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { quiet } from "../context.ts";
import { anEvent } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const NOW = Date.UTC(2026, 10, 12, 12);

describe.each(stores)("an agent is at work, on $name", (kind) => {
  it("in a session of which a hook told lately, and in none that ended, went quiet, or was only imported", () =>
    withStore(kind, async (store) => {
      const { db } = store;
      const call = (session: string, seq: number, minutesAgo: number, over: object = {}) =>
        anEvent(`${session} ${seq}`, { session, seq, at: NOW - minutesAgo * MINUTE, ...over });
      const end = { kind: "session-end", tool: null, input: null, outcome: null } as const;
      await appendEvents(db, [
        call("working", 0, 1),
        call("ended", 0, 2),
        call("ended", 1, 1, end),
        call("resumed", 0, 3, end),
        call("resumed", 1, 1),
        call("quiet", 0, 600),
        call("imported", 0, 1),
      ]);
      await digest(db);
      await noteImportedEvents(db, { host: anEvent("x").host, session: "imported" }, 1, NOW);
      const config = loadConfig({ home: "/nowhere/oldhand" });
      const ctx = { ...quiet, db, store, config, clock: { now: () => NOW }, actor: owner };
      const working = await findLiveSessions(ctx, await listSessions(db, { limit: 10 }));
      expect([...working.keys()].map(({ id }) => id).toSorted()).toEqual(["resumed", "working"]);
    }));
});
