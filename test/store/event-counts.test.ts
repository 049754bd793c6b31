import { describe, expect, it } from "vitest";
import { makeRandom, type Random } from "../../src/lib/random.ts";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { DAY } from "../../src/lib/clock.ts";
import { aggregateCalls, aggregateKeys } from "../../src/store/derived/aggregates.ts";
import { findDerivedFaults, digest, repairDerived } from "../../src/store/derived/digest.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { packEpisodes, pruneEpisodes } from "../../src/store/removal/episodes.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { rankFailures, listFailureLocations } from "../../src/store/derived/failures.ts";
import { countTableNames, setCountedWithin } from "../../src/store/derived/event-counts.ts";
import { removeEvents } from "../../src/store/removal/remove-events.ts";
import { openStore } from "../../src/store/open.ts";
import { stores, withStore } from "../stores.ts";
import { anEvent } from "./samples.ts";

const ROUNDS = 12;
const START = 1_700_000_000_000;

describe.each(stores)("kept counts on $name", (kind) => {
  it.each([1, 2, 3])("are what a scan of all events gives, whatever comes, comes late or goes (seed %i)", (seed) =>
    withStore(kind, async ({ db }) => {
      const random = makeRandom(seed);
      for (let round = 0; round < ROUNDS; round++) {
        await appendEvents(db, someEvents(random, round));
        await digest(db);
        if (round % 3 === 2) await removeSome(db, random);
        if (round % 5 === 4) await setCountedWithin(db, 1 + Math.floor(random() * 8));
        await expectSameAsScan(db, random);
      }
      expect((await findDerivedFaults(db)).counts).toBeNull();
    }),
  );

  it("stay right when retention lets go of old episodes", () =>
    withStore(kind, async ({ db }) => {
      const random = makeRandom(9);
      for (let round = 0; round < 4; round++) await appendEvents(db, someEvents(random, round));
      await digest(db);
      await packEpisodes(db, { now: START + 40 * DAY, quietMs: 0, budget: 100_000 });
      const pruned = await pruneEpisodes(db, { now: START + 44 * DAY, keepMs: 3 * DAY, budget: 60 });
      expect(pruned.events).toBeGreaterThan(0);
      await expectSameAsScan(db, random);
      expect((await findDerivedFaults(db)).counts).toBeNull();
    }));

  it("are made anew when somebody damaged them", () =>
    withStore(kind, async ({ db }) => {
      const random = makeRandom(4);
      await appendEvents(db, someEvents(random, 0));
      await digest(db);
      for (const damage of [
        "delete from failures where event = (select min(event) from failures)",
        "update failure_groups set calls = calls + 1",
        "delete from session_calls",
        "delete from session_workspaces where session = 's1'",
      ]) {
        await db.run(damage);
        const faults = await findDerivedFaults(db);
        expect(faults.counts).toMatch(/do not fit the events/);
        await repairDerived(db, faults);
        expect((await findDerivedFaults(db)).counts).toBeNull();
        await expectSameAsScan(db, random);
      }
    }));

  it("are made for a mind that was digested before there were any", () =>
    withStore(kind, async ({ db }) => {
      const random = makeRandom(5);
      await appendEvents(db, someEvents(random, 0));
      await digest(db);
      for (const table of countTableNames) await db.run(`delete from ${table}`);
      await db.run("delete from meta where key = 'counted'");
      await appendEvents(db, someEvents(random, 1));
      await digest(db);
      await expectSameAsScan(db, random);
    }));

  it("count each event once, however many digest at the same time", () =>
    withStore(kind, async ({ db }, database) => {
      const random = makeRandom(6);
      const others = await Promise.all([0, 1].map(() => openStore({ database, busyMs: 10_000 })));
      for (let round = 0; round < 6; round++) {
        await appendEvents(db, someEvents(random, round));
        await Promise.all([db, ...others.map((other) => other.db)].map((one) => digest(one)));
      }
      await expectSameAsScan(db, random);
      await Promise.all(others.map((other) => other.close()));
    }));
});

const tools = ["Bash", "Edit", "Read", null];
const workspaces = ["/w/a", "/w/b", null];
const commands = ["npm test", "npm run test", "git push", "git push --force", "ls"];

/** Random calls with and without an outcome, in order and late, in a few sessions over some days. */
function someEvents(random: Random, round: number): NewEvent[] {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  return Array.from({ length: 5 + Math.floor(random() * 40) }, (_, n) => {
    const tool = one(tools);
    const ok = random() < 0.6;
    const read = random() < 0.5;
    const error = ok ? null : `Exit code 1\nerror: ${one(["no such file", "fetch first", "not found"])}`;
    return anEvent(`r${round}-${n}`, {
      host: one(["claude-code", "codex"]),
      session: `s${Math.floor(random() * 6)}`,
      seq: random() < 0.3 ? Math.floor(random() * 50) : null,
      at: START + Math.floor(random() * 6 * DAY),
      kind: random() < 0.9 ? "call" : "prompt",
      workspace: one(workspaces),
      tool,
      input: tool === "Bash" ? { command: one(commands) } : { file_path: "/w/a/x.ts" },
      ok,
      error,
      text: ok ? "fine" : null,
      durationMs: random() < 0.5 ? Math.floor(random() * 1_000) : null,
      outcome: read ? (ok ? "ok" : "failed") : null,
      benign: read && !ok && random() < 0.2,
      signature: read && !ok ? one(["sig-a", "sig-b", "sig-c", null]) : null,
    });
  });
}

async function removeSome(db: Db, random: Random): Promise<void> {
  const rows = await db.all<{ id: number }>("select id from events order by id");
  const ids = rows.filter(() => random() < 0.15).map((row) => row.id);
  await db.tx((tx) => removeEvents(tx, ids));
}

async function expectSameAsScan(db: Db, random: Random): Promise<void> {
  const since = START + Math.floor(random() * 6 * DAY);
  for (const workspace of [undefined, "/w/a"])
    for (const from of [undefined, since])
      for (const within of [3, 5]) {
        const filter = { workspace, since: from, within };
        const scanned = await scanFailures(db, filter);
        const repeated = scanned.filter((group) => group.count > 1 && group.sessions > 1);
        const kept = await rankFailures(db, filter, 2);
        expect(kept.failures).toBe(scanned.reduce((sum, group) => sum + group.count, 0));
        expect(kept.repeated).toBe(repeated.length);
        expect(kept.groups.map(({ changed: _changed, ...group }) => group)).toEqual(repeated.slice(0, 2));
        for (const { signature } of kept.groups)
          expect(await listFailureLocations(db, signature, filter, 5)).toEqual(await scanPlaces(db, signature, filter));
      }
  const places = "workspace, session, host";
  expect(await db.all(`select ${places} from session_workspaces order by ${places}`)).toEqual(
    await db.all(`select distinct ${places} from events where workspace is not null order by ${places}`),
  );
  for (const by of aggregateKeys)
    for (const workspace of [undefined, "/w/b"])
      for (const from of [undefined, since]) {
        const kept = await aggregateCalls(db, by, { workspace, since: from, limit: 100 });
        expect(kept.toSorted(byName)).toEqual((await scanCalls(db, by, { workspace, since: from })).toSorted(byName));
      }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

interface Filter {
  readonly workspace: string | undefined;
  readonly since: number | undefined;
}

function conditions({ workspace, since }: Filter): { readonly clause: string; readonly values: (string | number)[] } {
  return {
    clause: `${workspace === undefined ? "" : "and e.workspace = ?"} ${since === undefined ? "" : "and e.at >= ?"}`,
    values: [...(workspace === undefined ? [] : [workspace]), ...(since === undefined ? [] : [since])],
  };
}

function scanFailures(db: Db, filter: Filter & { readonly within: number }) {
  const { clause, values } = conditions(filter);
  return db.all<{ count: number; sessions: number }>(
    `select signature, count(*) as count, count(distinct session) as sessions, min(at) as first, max(at) as last,
       cast(sum(1 + coalesce(r.calls, 0)) as bigint) as calls,
       cast(sum(coalesce(duration_ms, 0) + coalesce(r.ms, 0)) as bigint) as ms,
       cast(sum(length(coalesce(error, '')) + length(coalesce(input, '')) + coalesce(r.characters, 0)) as bigint) as characters
     from events e left join recoveries r on r.failure = e.id and r.apart <= ?
     where outcome = 'failed' and benign = 0 and signature is not null ${clause}
     group by signature order by 6 desc, 7 desc, 8 desc, signature`,
    [filter.within, ...values],
  );
}

function scanPlaces(db: Db, signature: string, filter: Filter) {
  const { clause, values } = conditions(filter);
  return db.all(
    `select id, host, session, workspace from events e
     where outcome = 'failed' and benign = 0 and signature = ? ${clause} order by id desc limit 5`,
    [signature, ...values],
  );
}

async function scanCalls(db: Db, by: (typeof aggregateKeys)[number], filter: Filter) {
  const key = by === "day" ? `e.at / ${DAY}` : `e.${by}`;
  const { clause, values } = conditions(filter);
  const rows = await db.all<{ name: string | number | null }>(
    `select ${key} as name, count(*) as calls,
       cast(sum(case when e.outcome = 'failed' and e.benign = 0 then 1 else 0 end) as bigint) as failures,
       count(distinct e.session) as sessions, cast(sum(coalesce(e.duration_ms, 0)) as bigint) as ms,
       cast(sum(case when e.outcome = 'failed' and e.benign = 0 then 1 + coalesce(r.calls, 0) else 0 end) as bigint) as lost,
       max(e.at) as last
     from events e left join recoveries r on r.failure = e.id where e.kind = 'call' ${clause} group by ${key}`,
    values,
  );
  return rows.map((row) => ({ ...row, name: nameOf(by, row.name) }));
}

function nameOf(by: string, value: string | number | null): string {
  if (value === null) return "unknown";
  return by === "day" ? new Date(Number(value) * DAY).toISOString().slice(0, 10) : String(value);
}
