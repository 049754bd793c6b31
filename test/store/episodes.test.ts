import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { owner } from "../../src/domain/actor.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import type { Context } from "../../src/context.ts";
import { DAY, fixedClock, HOUR } from "../../src/lib/clock.ts";
import { packAndPruneEpisodes } from "../../src/observe/pack-episodes.ts";
import { operations } from "../../src/operations.ts";
import { restoreBackup, writeBackup } from "../../src/store/backup.ts";
import type { Db, Store } from "../../src/store/engine/db.ts";
import { searchWords } from "./search-words.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { listPackedEvents, packEpisodes, pruneEpisodes } from "../../src/store/removal/episodes.ts";
import { appendEvents, countEvents } from "../../src/store/events/events.ts";
import { listRecoveriesOf } from "../../src/store/derived/recoveries.ts";
import { findSessions } from "../../src/store/sessions/sessions.ts";
import { stores, withStore } from "../stores.ts";
import { aFailure, anEvent, aRule, put } from "./samples.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { quiet } from "../context.ts";

const BEGIN = Date.parse("2026-03-01T22:00:00Z");

describe.each(stores)("episodes on $name", (kind) => {
  const s1 = { host: "claude-code", id: "s1" };
  const packing = { now: BEGIN + 3 * DAY, quietMs: DAY, budget: 1_000_000 };
  const days = (db: Db) =>
    db.all<{ session: string; day: string; events: number }>(
      "select session, day, events from episodes order by session, day",
    );

  it("hold each day of a quiet session whole", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        anEvent("a", { at: BEGIN, text: "grüße\u2028", input: { command: "echo 'ü'" } }),
        anEvent("b", { at: BEGIN + 3 * HOUR }),
        anEvent("c", { at: BEGIN + 4 * HOUR }),
      ]);
      await digest(db);
      expect(await packEpisodes(db, packing)).toEqual({ sessions: 1, episodes: 2, events: 3 });
      expect(await days(db)).toEqual([
        { session: "s1", day: "2026-03-01", events: 1 },
        { session: "s1", day: "2026-03-02", events: 2 },
      ]);
      expect(await listPackedEvents(db, s1)).toMatchObject([
        { uid: "a", text: "grüße\u2028", input: { command: "echo 'ü'" }, seq: 1 },
        { uid: "b" },
        { uid: "c" },
      ]);
    }));

  it("are made once, of what has been quiet long enough, and again of what came since", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [anEvent("a", { at: BEGIN }), anEvent("live", { at: packing.now - HOUR, session: "s2" })]);
      await digest(db);
      expect(await packEpisodes(db, packing)).toMatchObject({ sessions: 1, events: 1 });
      expect(await packEpisodes(db, packing)).toMatchObject({ sessions: 0 });
      await appendEvents(db, [anEvent("b", { at: BEGIN + 1 })]);
      await digest(db);
      expect(await packEpisodes(db, packing)).toMatchObject({ sessions: 1, episodes: 1, events: 1 });
      expect((await listPackedEvents(db, s1)).map((event) => event.uid)).toEqual(["a", "b"]);
    }));

  it("keep what was packed, even if the event was cut down since", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [anEvent("a", { at: BEGIN, text: "all of it" })]);
      await digest(db);
      await packEpisodes(db, packing);
      await db.run("update events set text = 'less'");
      await db.run("update sessions set packed = 0");
      await packEpisodes(db, packing);
      expect((await listPackedEvents(db, s1)).map((event) => event.text)).toEqual(["all of it"]);
    }));

  it("are made a bounded piece at a time", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(
        db,
        Array.from({ length: 30 }, (_, i) => anEvent(`e${i}`, { session: `s${i % 3}`, at: BEGIN + i })),
      );
      await digest(db);
      expect(await packEpisodes(db, { ...packing, budget: 10 })).toMatchObject({ sessions: 1, events: 10 });
      expect(await packEpisodes(db, { ...packing, budget: 15 })).toMatchObject({ sessions: 2, events: 20 });
    }));

  it("go when they are old, with their events and what is derived; session rows stay", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        aFailure("a", "x", { at: BEGIN, input: { command: "npm test zebra" } }),
        anEvent("b", { at: BEGIN + 1, input: { command: "npm test -- --run" } }),
        anEvent("c", { at: BEGIN + 40 * DAY, text: "giraffe" }),
      ]);
      await digest(db);
      await packEpisodes(db, { ...packing, now: BEGIN + 42 * DAY });
      const pruning = { keepMs: 90 * DAY, budget: 1_000 };
      expect(await pruneEpisodes(db, { ...pruning, now: BEGIN + 100 * DAY })).toEqual({ episodes: 0, events: 0 });
      await db.run("update episodes set packed_at = ?", [BEGIN + DAY]);
      expect(await pruneEpisodes(db, { ...pruning, now: BEGIN + 100 * DAY })).toEqual({ episodes: 1, events: 2 });
      expect(await countEvents(db)).toBe(1);
      expect(await listRecoveriesOf(db, [1, 2, 3], 20)).toEqual([]);
      expect(await searchWords(db, "zebra", 5)).toEqual([]);
      expect(await searchWords(db, "giraffe", 5)).toHaveLength(1);
      expect(await findSessions(db, "s1")).toMatchObject([{ events: 3, failures: 1 }]);
      expect(await digest(db)).toBe(0);
    }));

  it("do not go at once when history is brought in that is old already", () =>
    withStore(kind, async (store) => {
      const world = worldOf(store, BEGIN + 900 * DAY);
      await appendEvents(store.db, [anEvent("a", { at: BEGIN })]);
      await digest(store.db);
      expect(await packAndPruneEpisodes(world)).toMatchObject({ events: 1, pruned: 0 });
      world.clock.advance(89 * DAY);
      expect(await packAndPruneEpisodes(world)).toMatchObject({ pruned: 0 });
      world.clock.advance(2 * DAY);
      expect(await packAndPruneEpisodes(world)).toMatchObject({ pruned: 1 });
    }));

  it("survive a backup, and so do recoveries, which are derived again", () =>
    withStore(kind, async ({ db }) => {
      const file = join(mkdtempSync(join(tmpdir(), "oldhand-episodes-")), "mind.gz");
      await appendEvents(db, [
        aFailure("a", "x", { at: BEGIN, input: { command: "npm publish" } }),
        anEvent("b", { at: BEGIN + 1, input: { command: "npm publish --access public" } }),
        anEvent("c", { kind: "prompt", at: BEGIN + 2, text: "no, use pnpm", tool: null, input: null, outcome: null }),
      ]);
      await digest(db);
      await packEpisodes(db, packing);
      const before = await listPackedEvents(db, s1);
      await writeBackup(db, file);
      await db.run("delete from episodes");
      await restoreBackup(db, file);
      await digest(db);
      expect(await listPackedEvents(db, s1)).toEqual(before);
      expect(before.map((event) => event.kind)).toEqual(["call", "call", "prompt", "correction"]);
      expect(await listRecoveriesOf(db, [1], 20)).toHaveLength(1);
      expect(await countEvents(db)).toBe(4);
      // Nothing new: packed events are recognised by their uids.
      expect(await packEpisodes(db, packing)).toMatchObject({ episodes: 0 });
      rmSync(dirname(file), { recursive: true });
    }));

  it("are what a replay reads where events are gone, and `why` still ends at the excerpt", () =>
    withStore(kind, async (store) => {
      const { db } = store;
      const world = worldOf(store, BEGIN + 3 * DAY);
      await appendEvents(db, [
        anEvent("p", { kind: "prompt", at: BEGIN, text: "make it work", tool: null, input: null, outcome: null }),
        aFailure("a", "x", { at: BEGIN + 60_000, error: "missing script: tst" }),
        anEvent("b", { at: BEGIN + 2 * HOUR }),
      ]);
      await digest(db);
      const ref = { host: "claude-code", session: "s1", seq: 2, at: BEGIN, excerpt: "missing script: tst" };
      const evidence = { observations: 1, sessions: 1, first: BEGIN, last: BEGIN, refs: [ref] };
      const rule = aRule("r1", { evidence });
      await put(db, ruleNoun, rule, { at: BEGIN });
      await packAndPruneEpisodes(world);
      await db.run("delete from events");
      await appendEvents(db, [anEvent("late", { at: BEGIN + 3 * HOUR, seq: 900 })]);
      const replayed = await run<{ events: { at: string; summary: string }[]; packed: number }>(
        world,
        "sessions replay",
        { id: "s1" },
      );
      expect(replayed.events.map((event) => event.summary)).toEqual([
        "make it work",
        "npm test",
        "npm test",
        "npm test",
      ]);
      expect(replayed.packed).toBe(3);
      const text = operations.find((one) => one.name === "sessions replay")?.render(replayed) ?? "";
      expect(text).toContain("+0:01:00   failed        npm test");
      expect(text).toContain("missing script: tst");
      expect(text).toContain("… 1:59:00 later");
      const why = await run<{ because: { summary: string }[] }>(world, "rules why", { id: "r1" });
      expect(why.because.map((one) => one.summary)).toEqual(["missing script: tst"]);
    }));
});

function worldOf(store: Store, now: number): Context & { readonly clock: ReturnType<typeof fixedClock> } {
  const config = {
    home: "/nowhere",
    database: "",
    off: { everywhere: false, workspaces: [] },
    policy: defaultPolicy,
    providers: noProviders,
  };
  return { config, clock: fixedClock(now), store, db: store.db, actor: owner, ...quiet };
}

async function run<T>(world: Context, name: string, input: unknown): Promise<T> {
  const found = operations.find((one) => one.name === name);
  return (await found?.run(world, input)) as T;
}
