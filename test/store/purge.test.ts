import { describe, expect, it } from "vitest";
import type { Context } from "../../src/context.ts";
import { countNewForMiners, countNewCommands } from "../../src/distil/counting/count-new-events.ts";
import { owner } from "../../src/domain/actor.ts";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import type { Rule } from "../../src/domain/rule/rule.ts";
import { DAY, fixedClock } from "../../src/lib/clock.ts";
import { summariseSession } from "../../src/record/session-summaries.ts";
import { embedMissing } from "../../src/search/embed-missing.ts";
import { findDerivedFaults, digest } from "../../src/store/derived/digest.ts";
import type { Db, Store } from "../../src/store/engine/db.ts";
import { listPackedEvents, packEpisodes } from "../../src/store/removal/episodes.ts";
import { appendEvent, appendEvents, appendNewEvents, countEvents } from "../../src/store/events/events.ts";
import { readPendingScrub } from "../../src/store/state/scrub-forgotten.ts";
import {
  applyChange,
  findDisagreements,
  forgetSubject,
  listChanges,
  undoChange,
} from "../../src/store/journal/journal.ts";
import { previewPurge, purgeEvents } from "../../src/store/removal/purge.ts";
import type { PurgeScope } from "../../src/store/events/purge-scope.ts";
import { liftTombstones } from "../../src/store/events/tombstones.ts";
import { listRules, ruleNoun } from "../../src/store/nouns/rules.ts";
import { recordShownParts } from "../../src/store/shown/shown.ts";
import { storeTurn } from "../../src/store/sessions/working-memory.ts";
import { stores, withStore } from "../stores.ts";
import { aFailure, anEvent, aRule, byHand } from "./samples.ts";

const START = 20 * DAY;

/** A session that fails, recovers and is corrected, with its own words. */
function session(name: string, at: number, workspace: string): readonly NewEvent[] {
  const here = { session: name, workspace, cwd: workspace };
  return [
    anEvent("p", { ...here, kind: "prompt", at, tool: null, head: null, input: null, text: `please ${name} it` }),
    aFailure("f", `make ${name}`, { ...here, at: at + 1, head: "make", input: { command: `make ${name}` } }),
    anEvent("o", { ...here, at: at + 2, head: "make", input: { command: `make ${name} --now` } }),
    anEvent("c", {
      ...here,
      kind: "prompt",
      at: at + 3,
      tool: null,
      head: null,
      input: null,
      text: `no, that is wrong, don't ${name}`,
    }),
    anEvent("v", { ...here, at: at + 4, hostVersion: "1.2.3", head: "ls", input: { command: `ls ${name}` } }),
  ];
}

const embedder = {
  model: "test",
  embed: async (texts: readonly string[]) => texts.map(() => new Int8Array(16).fill(1)),
};

async function live(store: Store, events: readonly NewEvent[]): Promise<void> {
  const { db } = store;
  const { signal } = new AbortController();
  const ctx = {
    db,
    store,
    clock: fixedClock(START + 5 * DAY),
    actor: owner,
    signal,
    config: { policy: defaultPolicy },
  };
  await appendEvents(db, events);
  await digest(db);
  await embedMissing({ db }, embedder as never, { timeUp: signal });
  await countNewForMiners(ctx as unknown as Context, []);
  await countNewCommands(ctx as unknown as Context);
  await packEpisodes(db, { now: START + 5 * DAY, quietMs: 1, budget: 1_000 });
  for (const id of new Set(events.map((event) => event.session))) {
    await summariseSession(db, { host: "claude-code", id });
    const to = { at: START, host: "claude-code", session: id, moment: "before-call" } as const;
    await recordShownParts(db, to, [{ kind: "rule", subject: "r", level: "advise", tokens: 3 }]);
    await storeTurn(db, { session: id, text: `turn of ${id}`, now: START, ttlMs: 100 * DAY, maxBytes: 10_000 });
  }
}

/** Everything derived from observed events, without row ids. */
async function observed(db: Db) {
  const all = (sql: string) => db.all(sql);
  return {
    events: await all("select session, uid, kind, text, input from events order by session, uid"),
    sessions: await all("select id, workspace, events, failures, started_at, last_at from sessions order by id"),
    versions: await all("select session, version from session_versions order by session"),
    summaries: await all("select session, text from session_summaries order by session"),
    episodes: await all("select session, day, events from episodes order by session, day"),
    recoveries: await all(
      "select e.session, e.uid from recoveries r join events e on e.id = r.failure order by e.session, e.uid",
    ),
    tries: await all("select t.grp, e.session, e.uid from tries t join events e on e.id = t.event order by 1, 2, 3"),
    groups: await all("select grp, failed, worked from tried_groups order by grp"),
    repeats: await all("select kind, key, session, times from repeats order by kind, key, session"),
    vectors: await all(
      "select e.session, e.uid from vectors v join events e on cast(e.id as text) = v.subject order by 1, 2",
    ),
    vectorCount: await all("select count(*) as count from vectors"),
    failures: await all("select signature, session, workspace, at from failures order by signature, at"),
    failureGroups: await all("select signature, failures, sessions, calls from failure_groups order by signature"),
    failureSessions: await all("select signature, session, failures from failure_sessions order by 1, 2"),
    calls: await all(
      "select session, day, workspace, tool, calls, failures, ms, lost, last_at from session_calls order by 1, 2, 3, 4",
    ),
    shown: await all("select session from shown order by session"),
    kv: await all("select space, value from kv order by space"),
    words: await all("select row_count from word_totals order by name"),
  };
}

const by = { actor: owner, cause: { kind: "operation", id: "forget", note: null } as const, at: START + 6 * DAY };

const a = session("antelope", START, "/w/zoo");
const b = session("buffalo", START + DAY, "/w/farm");
const c = session("capybara", START + 2 * DAY, "/w/zoo/pond");

const d = session("dromedary", START + 3 * DAY, "C:\\zoo\\yard");

const cases: readonly { readonly name: string; readonly scope: PurgeScope; readonly left: readonly NewEvent[] }[] = [
  { name: "a session", scope: { session: { host: "claude-code", id: "antelope" } }, left: [...b, ...c, ...d] },
  { name: "a folder with those below it", scope: { workspace: "/w/zoo" }, left: [...b, ...d] },
  { name: "a folder of Windows with those below it", scope: { workspace: "C:\\zoo" }, left: [...a, ...b, ...c] },
  { name: "all before a time", scope: { before: START + DAY }, left: [...b, ...c, ...d] },
];

describe.each(stores)("a purge on $name", (kind) => {
  it.each(cases)("of $name leaves a mind that is as if it had never seen it", ({ scope, left }) =>
    withStore(kind, async (store) => {
      await live(store, [...a, ...b, ...c, ...d]);
      const preview = await previewPurge(store.db, scope);
      const made = await purgeEvents(store.db, scope, by);
      expect(preview).toEqual(made);
      expect(made.counts).toMatchObject({ events: expect.any(Number), episodes: expect.any(Number) });
      const after = await observed(store.db);
      expect(await findDerivedFaults(store.db)).toMatchObject({ words: null, sessions: [] });
      expect(await readPendingScrub(store.db)).toBe("everything");
      await withStore(kind, async (other) => {
        await live(other, left);
        expect(after).toEqual(await observed(other.db));
      });
    }),
  );

  it("of a part of a session folds the rest anew, and packs it without what went", () =>
    withStore(kind, async ({ db, ...store }) => {
      await live({ db, ...store }, [...a, anEvent("late", { session: "antelope", at: START + DAY, text: "later" })]);
      await purgeEvents(db, { before: START + DAY }, by);
      expect(await db.all("select id, events, started_at from sessions")).toEqual([
        { id: "antelope", events: 1, started_at: START + DAY },
      ]);
      const packed = await listPackedEvents(db, { host: "claude-code", id: "antelope" });
      expect(packed.map((event) => event.uid)).toEqual(["late"]);
    }));

  it("does not come back by a hook, a transcript or an import, unless it is asked for; what happens later is stored", () =>
    withStore(kind, async (store) => {
      const { db } = store;
      await live(store, a);
      await purgeEvents(db, { session: { host: "claude-code", id: "antelope" } }, by);
      expect(await appendEvent(db, a[0]!)).toBe(false);
      expect(await appendEvent(db, a[4]!)).toBe(false);
      expect(await appendEvents(db, [...a, b[0]!])).toBe(1);
      expect(await appendNewEvents(db, [...a, ...b])).toEqual(b.slice(1));
      expect(await db.all("select session from session_versions")).toEqual([{ session: "buffalo" }]);
      const later = anEvent("later", { session: "antelope", at: by.at + 1 });
      expect(await appendEvent(db, later)).toBe(true);
      await liftTombstones(db, a);
      expect(await appendNewEvents(db, a)).toEqual(a);
      expect(await db.all("select session from purged")).toEqual([]);
    }));

  it("takes cited calls out of rules and of all their past; counts, history and undo stay", () =>
    withStore(kind, async (store) => {
      const { db } = store;
      await live(store, [...a, ...b]);
      const cite = (name: string) => ({
        host: "claude-code",
        session: name,
        seq: 2,
        at: START,
        excerpt: `make ${name}`,
      });
      const learned = (names: readonly string[]): Rule["evidence"] => ({
        observations: 7,
        sessions: 3,
        first: 1,
        last: 2,
        refs: names.map(cite),
      });
      const put = (rule: Rule) =>
        applyChange(db, { noun: ruleNoun, id: rule.id }, { actor: owner, cause: byHand, at: START }, () => rule);
      await put(aRule("both", { evidence: learned(["antelope"]) }));
      await put(aRule("both", { evidence: learned(["antelope", "buffalo"]) }));
      await put(aRule("one", { evidence: learned(["antelope"]) }));
      await put(aRule("other", { evidence: learned(["buffalo"]) }));
      const made = await purgeEvents(db, { session: { host: "claude-code", id: "antelope" } }, by);
      expect(made.rules).toMatchObject([
        { id: "both", cited: 1, only: false },
        { id: "one", cited: 1, only: true },
      ]);
      const rules = new Map((await listRules(db)).map((rule) => [rule.id, rule.evidence]));
      expect(rules.get("both")).toMatchObject({ observations: 7, purged: 1, refs: [cite("buffalo")] });
      expect(rules.get("one")).toMatchObject({ observations: 7, purged: 1, refs: [] });
      expect(rules.get("other")).toEqual(learned(["buffalo"]));
      expect(JSON.stringify(await db.all("select * from journal"))).not.toContain("antelope");
      expect(await findDisagreements(db)).toEqual([]);
      const [last] = await listChanges(db, { limit: 1 });
      await undoChange(db, last?.id ?? 0, { actor: owner, at: by.at + 1 });
      expect(await findDisagreements(db)).toEqual([]);
    }));
});

describe.each(stores)("what is forgotten on $name", (kind) => {
  it("has no word left in the journal, nor in a note of why it was changed", () =>
    withStore(kind, async ({ db }) => {
      const cause = { kind: "person", id: null, note: "because of the quagganose" } as const;
      const put = (text: string) =>
        applyChange(db, { noun: ruleNoun, id: "r" }, { actor: owner, cause, at: 1 }, () => aRule("r", { text }));
      await put("first quagganose");
      await put("second quagganose");
      await forgetSubject(db, { noun: ruleNoun, id: "r" }, { actor: owner, cause: byHand, at: 2 });
      expect(JSON.stringify(await db.all("select * from journal"))).not.toContain("quagganose");
      expect(await countEvents(db)).toBe(0);
    }));
});
