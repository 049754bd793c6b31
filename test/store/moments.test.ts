import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { isFirstReport } from "../../src/entrypoints/hook/first-report.ts";
import { drainSpool, spoolEvents } from "../../src/observe/spool.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { claimMoment } from "../../src/store/events/moments.ts";
import { openStore } from "../../src/store/open.ts";
import { stores, withStore } from "../stores.ts";
import { anEvent } from "./samples.ts";

const start = { host: "claude-code", session: "s", agent: null, moment: "session-start", detail: "startup" };
const prompt = { ...start, moment: "prompt", detail: "go on" };
const stop = { ...start, moment: "stop", detail: "false" };

describe.each(stores)("a moment of a session, on $name", (kind) => {
  it("is told once, however many tell of it at the same time, over several connections", () =>
    withStore(kind, async ({ db }, database) => {
      const others = await Promise.all([1, 2, 3].map(() => openStore({ database, busyMs: 5_000 })));
      const first = await Promise.all(
        [db, ...others.map((one) => one.db)].map((one, at) => claimMoment(one, start, 1_000 + at)),
      );
      expect(first.filter(Boolean)).toHaveLength(1);
      for (const other of others) await other.close();
    }));

  it("is another one with other words, in another session, or in a sub-agent", () =>
    withStore(kind, async ({ db }) => {
      expect(await claimMoment(db, prompt, 1_000)).toBe(true);
      expect(await claimMoment(db, prompt, 1_001)).toBe(false);
      expect(await claimMoment(db, { ...prompt, detail: "stop" }, 1_002)).toBe(true);
      expect(await claimMoment(db, { ...prompt, session: "t" }, 1_003)).toBe(true);
      expect(await claimMoment(db, { ...prompt, agent: "sub" }, 1_004)).toBe(true);
    }));

  it("comes again when something else happened in between: the next turn is short, and ends the same way", () =>
    withStore(kind, async ({ db }) => {
      for (const at of [1_000, 2_000, 3_000]) {
        expect(await claimMoment(db, prompt, at)).toBe(true);
        expect(await claimMoment(db, prompt, at + 1)).toBe(false);
        expect(await claimMoment(db, stop, at + 500)).toBe(true);
        expect(await claimMoment(db, stop, at + 501)).toBe(false);
      }
    }));

  it("comes again after a while", () =>
    withStore(kind, async ({ db }) => {
      expect(await claimMoment(db, start, 1_000)).toBe(true);
      expect(await claimMoment(db, start, 10_999)).toBe(false);
      expect(await claimMoment(db, start, 11_000)).toBe(true);
    }));
});

describe.each(stores)("a moment that a host tells twice itself, on $name", (kind) => {
  it("is heard once to be answered and once to be stored, and by other hooks not again", () =>
    withStore(kind, async ({ db }) => {
      const session = { host: "pi", session: "s", cwd: null, model: null, agent: null, transcript: null };
      const stops = { ...session, moment: "stop", again: false } as const;
      for (const first of [true, false])
        for (const only of ["heard", "stored"] as const)
          expect(await isFirstReport(db, { ...stops, only }, 1_000)).toBe(first);
    }));
});

describe.each(stores)("a moment that waits in the spool, on $name", (kind) => {
  const moment = (uid: string, at: number, over: Partial<NewEvent> = {}) =>
    anEvent(uid, { at, kind: "stop", tool: null, input: null, text: null, ...over });
  const drain = async (stored: readonly NewEvent[], spooled: readonly (readonly NewEvent[])[]) => {
    let uids: readonly string[] = [];
    await withStore(kind, async ({ db }) => {
      const home = mkdtempSync(join(tmpdir(), "oldhand-moments-"));
      try {
        await appendEvents(db, stored);
        for (const events of spooled) spoolEvents(home, events);
        await drainSpool(db, home);
        uids = (await db.all<{ uid: string }>("select uid from events order by at, uid")).map(({ uid }) => uid);
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    });
    return uids;
  };

  it("is not stored again if another process has stored it", async () => {
    expect(await drain([moment("stop:1000", 1_000)], [[moment("stop:1020", 1_020)]])).toEqual(["stop:1000"]);
    expect(await drain([], [[moment("stop:1000", 1_000)], [moment("stop:1020", 1_020)]])).toHaveLength(1);
  });

  it("is stored if it is another one: later, after another moment, with other words, of another agent", async () => {
    const first = moment("stop:1000", 1_000);
    const others = [
      moment("stop:12000", 12_000),
      moment("stop:1030", 1_030, { text: "All done." }),
      moment("stop-again:1020", 1_020),
      moment("stop:1020", 1_020, { agent: "sub" }),
      moment("stop:1020", 1_020, { session: "t" }),
    ];
    for (const other of others) expect(await drain([first], [[other]])).toEqual([first.uid, other.uid]);
    const prompt = moment("prompt:1010", 1_010, { kind: "prompt", text: "go on" });
    const next = moment("stop:1020", 1_020);
    expect(await drain([first, prompt], [[next]])).toEqual([first.uid, prompt.uid, next.uid]);
  });

  it("of a call is known by its id alone", async () => {
    const call = (uid: string) => anEvent(uid, { at: 1_000 });
    expect(await drain([call("a")], [[call("a")], [call("b")]])).toEqual(["a", "b"]);
  });
});
