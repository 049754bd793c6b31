import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import { owner } from "../../src/domain/actor.ts";
import { DAY, HOUR } from "../../src/lib/clock.ts";
import { operationNamed, type OperationMap } from "../../src/operations.ts";
import { addAnswer } from "../../src/store/shown/answers.ts";
import { digest } from "../../src/store/derived/digest.ts";
import type { Store } from "../../src/store/engine/db.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { addReinforcements } from "../../src/store/shown/reinforcements.ts";
import { addRuleSessions } from "../../src/store/shown/rule-sessions.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { recordShownParts } from "../../src/store/shown/shown.ts";
import { quiet } from "../context.ts";
import { aFailure, anEvent, aRule, put } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

const NOW = Date.UTC(2026, 10, 17, 12);
const SHOP = "/home/me/shop";
const BLOG = "/home/me/blog";

function contextOf(store: Store, over: Partial<Context> = {}): Context {
  const config = loadConfig({ home: "/nowhere/oldhand" });
  return { ...quiet, db: store.db, store, config, clock: { now: () => NOW }, actor: owner, ...over };
}

async function run<Name extends "today" | "trend">(
  ctx: Context,
  name: Name,
  input: OperationMap[Name]["input"],
): Promise<OperationMap[Name]["output"]> {
  const found = operationNamed<"today" | "trend">(name);
  return (await found.run(ctx, found.input.parse({ zone: "UTC", ...input }))) as OperationMap[Name]["output"];
}

const distilled = { cause: { kind: "job", id: "distil", note: null } } as const;
const hostOf = { host: "claude-code", session: "s1" } as const;

describe.each(stores)("today, on $name", (kind) => {
  it("counts failures and repeated mistakes on the day they happened, and adds them up", () =>
    withStore(kind, async (store) => {
      await appendEvents(store.db, [
        aFailure("a", "missing script", { at: NOW - 20 * DAY }),
        aFailure("b", "missing script", { at: NOW - 2 * DAY }),
        aFailure("c", "no such file", { at: NOW - 2 * DAY }),
        aFailure("d", "no such file", { at: NOW - HOUR }),
        anEvent("e", { at: NOW - HOUR }),
      ]);
      await digest(store.db);
      const found = await run(contextOf(store), "today", { days: 14 });
      expect(found.days.map(({ day }) => day)).toHaveLength(14);
      expect(found.days.at(-1)).toMatchObject({ day: "2026-11-17", failed: 1, repeated: 1 });
      expect(found.days.at(-3)).toMatchObject({ day: "2026-11-15", failed: 2, repeated: 1 });
      expect(found.totals).toMatchObject({ failed: 3, repeated: 2 });
      expect(found.before).toMatchObject({ failed: 1, repeated: 0 });
      expect(found.recorded).toBe(true);
    }));

  it("is printed from the first day that has a figure; the last day is always there", () =>
    withStore(kind, async (store) => {
      await appendEvents(store.db, [
        anEvent("old", { at: NOW - 40 * DAY }),
        aFailure("a", "missing script", { at: NOW - DAY }),
      ]);
      await digest(store.db);
      const printed = async (days: number) => {
        const found = await run(contextOf(store), "today", { days });
        const text = operationNamed("today").render(found);
        return text.match(/^\d{4}-\d\d-\d\d/gm);
      };
      expect(await printed(14)).toEqual(["2026-11-16", "2026-11-17"]);
      expect(await printed(1)).toEqual(["2026-11-17"]);
    }));

  it("knows only one of several failures of the same moment as the first", () =>
    withStore(kind, async (store) => {
      await appendEvents(
        store.db,
        ["a", "b", "c"].map((uid) => aFailure(uid, "missing script", { at: NOW - HOUR })),
      );
      await digest(store.db);
      expect((await run(contextOf(store), "today", {})).totals).toMatchObject({ failed: 3, repeated: 2 });
    }));

  it("counts what was said with calls by how it was said, and leaves out the control group", () =>
    withStore(kind, async (store) => {
      const { db } = store;
      await appendEvents(db, [anEvent("a", { at: NOW - HOUR })]);
      await digest(db);
      const to = { ...hostOf, at: NOW - HOUR, moment: "before-call" } as const;
      const part = { kind: "rule", subject: "r_1", level: "nudge", tokens: 5 } as const;
      await recordShownParts(db, to, [
        { ...part, delivery: "hold" },
        { ...part, delivery: "deny" },
        { ...part, delivery: "ask" },
        { ...part, delivery: "note" },
        { ...part, kind: "fact", subject: "f_1" },
        { ...part, kind: "fact", subject: "f_2", level: "watch" },
        { ...part, kind: "memory", subject: "m_1" },
      ]);
      await recordShownParts(db, { ...to, moment: "session-start" }, [part]);
      const found = await run(contextOf(store), "today", { days: 2 });
      expect(found.totals).toMatchObject({ held: 1, denied: 1, asked: 1, noted: 2 });
      expect(found.days.at(-1)).toMatchObject({ held: 1, noted: 2 });
    }));

  it("calls avoided what a session kept to after it was told; an answer that was used avoided nothing", () =>
    withStore(kind, async (store) => {
      const { db } = store;
      const at = NOW - 3 * HOUR;
      await appendEvents(db, [
        aFailure("read", "missing", { at, tool: "Read", input: { file_path: "/a/praser.ts" } }),
        aFailure("again", "missing", { at: at + 1, tool: "Read", input: { file_path: "/a/lost.ts" } }),
        anEvent("next", { at: at + 2, tool: "Read", input: { file_path: "/a/parser.ts" } }),
      ]);
      await digest(db);
      const answer = { at, cause: "missing-path", given: true, tokens: 9, file: null };
      await addAnswer(db, { ...hostOf, agent: null, uid: "read" }, { ...answer, texts: ["/a/parser.ts"] });
      await addAnswer(db, { ...hostOf, agent: null, uid: "again" }, { ...answer, texts: ["/a/other.ts"] });
      await addAnswer(db, { ...hostOf, agent: null, uid: "next" }, { ...answer, given: false, texts: ["/a/x.ts"] });
      const shownRow = { ...hostOf, rule: "r_1", at, delivery: "note" } as const;
      await addReinforcements(db, [
        { ...shownRow, broken: false },
        { ...shownRow, rule: "r_2", broken: true },
        { ...shownRow, rule: "r_3", broken: null },
      ]);
      const found = await run(contextOf(store), "today", { days: 1 });
      expect(found.totals).toMatchObject({ answered: 2, used: 1, avoided: 1 });
      const settled = await db.all<{ used: number | null }>("select used from answers order by id");
      expect(settled.map(({ used }) => used)).toEqual([1, null, null]);
      // A day later no further call can use them.
      await run(contextOf(store, { clock: { now: () => NOW + 2 * DAY } }), "today", { days: 3 });
      expect((await db.all<{ used: number }>("select used from answers order by id")).map(({ used }) => used)).toEqual([
        1, 0, 0,
      ]);
    }));

  it("names the rules that were mined, newest first, and what waits for a decision", () =>
    withStore(kind, async (store) => {
      const { db } = store;
      const rule = (id: string, days: number, over: object = {}) =>
        aRule(id, { createdAt: NOW - days * DAY, text: `rule ${id}`, origin: "tool", ...over });
      await put(db, ruleNoun, rule("r_old", 20), { ...distilled, at: NOW - 20 * DAY });
      await put(db, ruleNoun, rule("r_a", 3), { ...distilled, at: NOW - 3 * DAY });
      await put(db, ruleNoun, rule("r_b", 2, { status: "approved" }), { ...distilled, at: NOW - 2 * DAY });
      await put(db, ruleNoun, rule("r_hand", 1, { status: "approved", origin: "owner" }), { at: NOW - DAY });
      const found = await run(contextOf(store), "today", { days: 14 });
      expect(found.learned.map(({ id }) => id)).toEqual(["r_b", "r_a"]);
      expect(found.totals.learned).toBe(2);
      expect(found.before.learned).toBe(1);
      expect(found.days.at(-3)?.learned).toBe(1);
      expect(found.waiting).toMatchObject({ rules: 2, proposals: 0, wrong: 0 });
      expect(found.waiting.first.map(({ kind, id }) => [kind, id])).toEqual([
        ["rule", "r_a"],
        ["rule", "r_old"],
      ]);
      expect(found.recorded).toBe(false);
    }));

  it("counts only what was in a workspace, where one is asked for", () =>
    withStore(kind, async (store) => {
      const { db } = store;
      await appendEvents(db, [
        aFailure("a", "x", { at: NOW - HOUR, session: "shop", workspace: SHOP }),
        aFailure("b", "y", { at: NOW - HOUR, session: "blog", workspace: BLOG }),
      ]);
      await digest(db);
      for (const session of ["shop", "blog", "blog"])
        await recordShownParts(db, { host: "claude-code", session, at: NOW - HOUR, moment: "before-call" }, [
          { kind: "rule", subject: "r_1", level: "nudge", tokens: 5, delivery: "hold" },
        ]);
      await addReinforcements(db, [
        { rule: "r_1", host: "claude-code", session: "shop", at: NOW - HOUR, broken: false, delivery: "hold" },
      ]);
      const there = (workspace: string) => run(contextOf(store), "today", { days: 1, workspace });
      expect((await there(SHOP)).totals).toMatchObject({ failed: 1, held: 1, avoided: 1 });
      expect((await there(BLOG)).totals).toMatchObject({ failed: 1, held: 2, avoided: 0 });
      expect((await run(contextOf(store), "today", { days: 1 })).totals).toMatchObject({ failed: 2, held: 3 });
    }));

  it("begins its days where the person lives", () =>
    withStore(kind, async (store) => {
      await appendEvents(store.db, [aFailure("a", "x", { at: Date.UTC(2026, 10, 17, 2) })]);
      await digest(store.db);
      const found = await run(contextOf(store), "today", { days: 2, zone: "America/Los_Angeles" });
      expect(found.days.map(({ day, failed }) => [day, failed])).toEqual([
        ["2026-11-16", 1],
        ["2026-11-17", 0],
      ]);
    }));

  it("refuses a time that ends before it begins, and one of too many days", () =>
    withStore(kind, async (store) => {
      const ask = (since: string, until: string) => run(contextOf(store), "today", { since, until });
      await expect(ask("2026-11-17T00:00:00Z", "2026-11-16T00:00:00Z")).rejects.toThrow("since is after until");
      await expect(ask("2020-01-01T00:00:00Z", "2026-11-16T00:00:00Z")).rejects.toThrow("at most 400");
    }));
});

describe.each(stores)("a trend, on $name", (kind) => {
  it("has the failures and sessions of each day, of all or of one mistake", () =>
    withStore(kind, async (store) => {
      await appendEvents(store.db, [
        aFailure("a", "x", { at: NOW - DAY, session: "s1" }),
        aFailure("b", "x", { at: NOW - DAY, session: "s1" }),
        aFailure("c", "x", { at: NOW - HOUR, session: "s2" }),
        aFailure("d", "y", { at: NOW - HOUR, session: "s3", workspace: BLOG }),
      ]);
      await digest(store.db);
      const of = async (input: object) =>
        (await run(contextOf(store), "trend", { days: 2, ...input })).days.map((day) => [day.failures, day.sessions]);
      expect(await of({})).toEqual([
        [2, 1],
        [2, 2],
      ]);
      expect(await of({ signature: "x" })).toEqual([
        [2, 1],
        [1, 1],
      ]);
      expect(await of({ workspace: BLOG })).toEqual([
        [0, 0],
        [1, 1],
      ]);
    }));

  it("of a rule has the failed calls it warns against, and when it came into force", () =>
    withStore(kind, async (store) => {
      const { db } = store;
      const matcher = { tool: "shell", head: "npm test" } as const;
      const mined = aRule("r_1", { matcher, origin: "tool", createdAt: NOW - 3 * DAY, level: "watch" });
      await put(db, ruleNoun, mined, { ...distilled, at: NOW - 3 * DAY });
      await put(db, ruleNoun, { ...mined, status: "approved", level: "nudge" }, { at: NOW - 2 * DAY });
      await put(db, ruleNoun, { ...mined, status: "retired", level: "nudge" }, { at: NOW - DAY });
      const session = { ...hostOf, opportunities: 3, attempts: 2, failed: 2, worked: 0 };
      await db.tx((tx) =>
        addRuleSessions(
          tx,
          { id: "r_1", matcher },
          {
            from: 0,
            upTo: 9,
            recentSince: 0,
            sessions: [
              { ...session, at: NOW - 3 * DAY },
              { ...session, session: "s2", at: NOW - DAY, failed: 1 },
            ],
          },
        ),
      );
      const found = await run(contextOf(store), "trend", { days: 4, rule: "r_1" });
      expect(found.days.map(({ failures, sessions }) => [failures, sessions])).toEqual([
        [2, 1],
        [0, 0],
        [1, 1],
        [0, 0],
      ]);
      expect(found.marks.map(({ day, what }) => [day, what])).toEqual([
        ["2026-11-15", "in force"],
        ["2026-11-16", "out of force"],
      ]);
    }));
});
