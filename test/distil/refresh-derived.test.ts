import { describe, expect, it } from "vitest";
import { makeHistory } from "../../bench/made-history.ts";
import { refreshDerived } from "../../src/distil/maintenance/refresh-derived.ts";
import { readRuleCounts } from "../../src/distil/counting/rule-counts.ts";
import { distil } from "../../src/distil/mining/distil.ts";
import { makeReport } from "../../src/distil/report/report.ts";
import { setRefreshedInBackground } from "../../src/store/state/background.ts";
import { digest } from "../../src/store/derived/digest.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { makeProvenance, applyChange } from "../../src/store/journal/journal.ts";
import { clearCachedResults, readCachedResults } from "../../src/store/state/result-cache.ts";
import { cursors, readCursor } from "../../src/store/state/cursors.ts";
import { listRules, ruleNoun } from "../../src/store/nouns/rules.ts";
import { openContext, type OpenMind } from "../../src/mind.ts";
import { newPlace } from "../program.ts";
import { stores } from "../stores.ts";

const NOW = Date.UTC(2026, 0, 31);

describe.each(stores)("bringing up what is derived on $name", (kind) => {
  it("leaves nothing for the next reader to do, and tells how far it is", () =>
    inMind(kind, async (mind) => {
      const lines: string[] = [];
      await fill(mind.db, 6_000, 0);
      await refreshDerived({ ...mind, report: ({ text }) => lines.push(text) });
      const digested = await readCursor(mind.db, cursors.digested);
      for (const cursor of [cursors.counted, cursors.tried, cursors.repeated])
        expect(await readCursor(mind.db, cursor)).toBe(digested);
      expect(await digest(mind.db)).toBe(0);
      expect((await readCachedResults(mind.db, "proposals")).size).toBe(1);
      expect((await readCachedResults(mind.db, "mistake")).size).toBeGreaterThan(0);
      expect(lines.some((text) => /outcomes.*: \d+ of \d+ events/.test(text))).toBe(true);
      expect(lines.some((text) => /counting.*: \d+ of \d+ events/.test(text))).toBe(true);
    }));

  it("keeps answers that are those worked out anew, also after more events and a decision", () =>
    inMind(kind, async (mind) => {
      for (const round of [0, 1]) {
        await fill(mind.db, 2_500, round);
        await refreshDerived(mind);
        await distil(mind, { write: true });
        await refreshDerived(mind);
        await expectKeptAsFresh(mind);
      }
      const [rule] = (await listRules(mind.db)).filter((one) => one.matcher !== null);
      if (rule === undefined) throw new Error("no rule was found");
      await applyChange(mind.db, { noun: ruleNoun, id: rule.id }, makeProvenance(mind, "rules approve"), () => ({
        ...rule,
        status: "approved",
        level: "ask",
      }));
      await expectKeptAsFresh(mind);
    }));

  it("is left to another thread where one keeps things up, but for a little", () =>
    inMind(kind, async (mind) => {
      setRefreshedInBackground(mind.db, true);
      await fill(mind.db, 1_000, 0);
      expect(await digest(mind.db)).toBe(0);
      setRefreshedInBackground(mind.db, false);
      expect(await digest(mind.db)).toBe(1_000);
      setRefreshedInBackground(mind.db, true);
      await fill(mind.db, 50, 1);
      expect(await digest(mind.db)).toBe(50);
    }));
});

async function expectKeptAsFresh(mind: OpenMind): Promise<void> {
  const rules = await listRules(mind.db);
  const results = { rules: await readRuleCounts(mind, rules), report: await makeReport(mind, { limit: 50 }) };
  const again = { rules: await readRuleCounts(mind, rules), report: await makeReport(mind, { limit: 50 }) };
  await clearCachedResults(mind.db);
  const fresh = { rules: await readRuleCounts(mind, rules), report: await makeReport(mind, { limit: 50 }) };
  expect(again).toEqual(fresh);
  expect(results).toEqual(fresh);
}

async function fill(db: Db, events: number, round: number): Promise<void> {
  const made = [...makeHistory(events, NOW, round + 1)].flat();
  await appendEvents(
    db,
    made.map((event) => ({ ...event, session: `${round}-${event.session}` })),
  );
}

async function inMind(kind: (typeof stores)[number], act: (mind: OpenMind) => Promise<void>): Promise<void> {
  const [place, { database, remove }] = [newPlace(), await kind.migrated()];
  const mind = await openContext({ home: place.home, env: {}, database, now: new Date(NOW).toISOString() });
  try {
    await act(mind);
  } finally {
    await mind.close();
    await remove();
    place.remove();
  }
}
