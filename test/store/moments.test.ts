import { describe, expect, it } from "vitest";
import { isFirstReport } from "../../src/entrypoints/hook/first-report.ts";
import { claimMoment } from "../../src/store/events/moments.ts";
import { openStore } from "../../src/store/open.ts";
import { stores, withStore } from "../stores.ts";

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
