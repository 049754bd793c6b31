import { expect } from "vitest";
import type { Db, Store } from "../../src/store/engine/db.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { countEvents } from "../../src/store/events/events.ts";
import { listChangesOf, findDisagreements } from "../../src/store/journal/journal.ts";
import { getRule } from "../../src/store/nouns/rules.ts";
import { listSessions } from "../../src/store/sessions/sessions.ts";
import { openStore } from "../../src/store/open.ts";
import type { TestStore } from "../stores.ts";
import type { Children } from "./children.ts";

/** Many processes write at the same time: nothing is lost and no caller gets an error. */
export async function writeAtOnce(
  kind: TestStore,
  children: Children,
  load: { readonly processes: number; readonly writes: number },
): Promise<void> {
  const place = await kind.fresh();
  const names = Array.from({ length: load.processes }, (_, i) => `w${i}`);
  const ended = await Promise.all(
    names.map((name) => children.run(["write", place.database, name, String(load.writes)])),
  );
  expect(ended.map((one) => one.stderr).join("")).toBe("");
  expect(ended.map((one) => [one.code, one.lines.length, one.lines.at(-1)])).toEqual(
    names.map(() => [0, load.writes + 1, "done"]),
  );
  const store = await openStore({ database: place.database, busyMs: 10_000 });
  const changes = Math.floor(load.writes / 10);
  expect(await countEvents(store.db)).toBe(load.processes * (load.writes - changes));
  const journal = await store.db.get<{ count: number }>("select count(*) as count from journal");
  expect(journal?.count).toBe(load.processes * changes);
  expect(await digest(store.db)).toBe(load.processes * (load.writes - changes));
  const sessions = await listSessions(store.db, { limit: 100 });
  expect(sessions.map((one) => one.events)).toEqual(names.map(() => load.writes - changes));
  await expectSound(store);
  await store.close();
  await place.remove();
}

/** Kills writers at random moments: everything acknowledged is stored, and nothing is stored partly. */
export async function killWriters(kind: TestStore, children: Children, kills: number): Promise<number> {
  const place = await kind.fresh();
  let acknowledged = 0;
  for (let kill = 0; kill < kills; kill++) {
    const writer = children.start(["pairs", place.database, `k${kill}`]);
    // Some are killed while opening, most while writing.
    if (kill % 10 !== 0) await writer.firstLine;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    writer.kill();
    const { lines, stderr } = await writer.ended;
    expect(stderr).toBe("");
    acknowledged += lines.length;
    const store = await openStore({ database: place.database, busyMs: 10_000 });
    await expectPairs(store, `k${kill}`, lines.length);
    await store.close();
  }
  const store = await openStore({ database: place.database, busyMs: 10_000 });
  await expectSound(store);
  expect(await countEvents(store.db)).toBeGreaterThanOrEqual(acknowledged);
  await store.close();
  await place.remove();
  return acknowledged;
}

/** Expects every acknowledged pair, at most one more (committed, not yet printed), and no event without its change. */
function expectPairs(store: Store, name: string, acknowledged: number): Promise<void> {
  // In one snapshot, because a killed client's last commit may still be in progress on the server.
  return store.db.snapshot((db) => expectPairsIn(db, name, acknowledged));
}

async function expectPairsIn(db: Db, name: string, acknowledged: number): Promise<void> {
  const events = await db.get<{ count: number }>("select count(*) as count from events where session = ?", [name]);
  const rules = await db.get<{ count: number }>("select count(*) as count from rules where id like ?", [`r_${name}_%`]);
  expect([acknowledged, acknowledged + 1]).toContain(events?.count);
  expect(rules?.count).toBe(events?.count);
  if (acknowledged === 0) return;
  const last = `r_${name}_${acknowledged - 1}`;
  expect((await getRule(db, last))?.text).toBe(`${name} ${acknowledged - 1}`);
  expect(await listChangesOf(db, "rule", last)).toHaveLength(1);
}

async function expectSound(store: Store): Promise<void> {
  expect(await findDisagreements(store.db)).toEqual([]);
  expect(await store.check()).toEqual([]);
}
