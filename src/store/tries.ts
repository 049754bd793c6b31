import type { Event } from "../domain/event.ts";
import type { Db } from "./db.ts";
import { eventsByIds } from "./events.ts";

/** A call under one of the heads it runs (or its tool), with what held in its session before it. Derived from events. */
export interface Try {
  readonly group: string;
  readonly event: number;
  readonly result: TryResult;
  /** The traits of the situation, as far as any held. */
  readonly state: readonly string[];
}

/** Unclear: denied or refused before it ran, or a pipe hid how it ended. It was tried, and nobody knows whether it works. */
export type TryResult = "worked" | "failed" | "unclear";

const results: readonly TryResult[] = ["worked", "failed", "unclear"];

export interface TriedGroup {
  readonly group: string;
  readonly failed: number;
  readonly worked: number;
  /** How many failures there were when rules were last sought in it. */
  readonly mined: number;
}

/** Each counted once, however often it comes. */
export async function addTries(tx: Db, tries: readonly Try[]): Promise<void> {
  await tx.insertMany(
    { table: "tries", columns: ["grp", "event", "failed", "state"], tail: "on conflict (grp, event) do nothing" },
    tries.map((one) => [
      one.group,
      one.event,
      results.indexOf(one.result),
      one.state.length === 0 ? null : JSON.stringify(one.state),
    ]),
  );
  const counts = new Map<string, { failed: number; worked: number }>();
  for (const one of tries) {
    if (one.result === "unclear") continue;
    const count = counts.get(one.group) ?? { failed: 0, worked: 0 };
    counts.set(one.group, count);
    if (one.result === "failed") count.failed++;
    else count.worked++;
  }
  await tx.insertMany(
    {
      table: "tried_groups",
      columns: ["grp", "failed", "worked", "mined"],
      tail: "on conflict (grp) do update set failed = tried_groups.failed + excluded.failed, worked = tried_groups.worked + excluded.worked",
    },
    [...counts].map(([group, { failed, worked }]) => [group, failed, worked, 0]),
  );
}

/** Groups with at least so many failures; of a fresh look those that have failed since they were last mined. */
export async function groupsToMine(db: Db, least: number, fresh: boolean): Promise<readonly TriedGroup[]> {
  const rows = await db.all<{ grp: string; failed: number; worked: number; mined: number }>(
    `select grp, failed, worked, mined from tried_groups where failed >= ? ${fresh ? "and failed > mined" : ""} order by grp`,
    [least],
  );
  return rows.map(({ grp, ...counts }) => ({ group: grp, ...counts }));
}

export async function markMined(tx: Db, groups: readonly TriedGroup[]): Promise<void> {
  for (const { group, failed } of groups)
    await tx.run("update tried_groups set mined = ? where grp = ?", [failed, group]);
}

export async function countsOfGroup(db: Db, group: string): Promise<{ failed: number; worked: number }> {
  const row = await db.get<{ failed: number; worked: number }>(
    "select failed, worked from tried_groups where grp = ?",
    [group],
  );
  return row ?? { failed: 0, worked: 0 };
}

export interface TriedEvent {
  readonly event: Event;
  readonly result: TryResult;
  readonly state: readonly string[];
}

/** The latest of a group with their events, in order. */
export async function triesOf(db: Db, group: string, limit: number): Promise<readonly TriedEvent[]> {
  const rows = await db.all<TryRow>(
    "select event, failed, state from tries where grp = ? order by event desc limit ?",
    [group, limit],
  );
  return withEvents(db, rows.toReversed());
}

/** Those of a group behind an event's number, in order. */
export async function triesAfter(db: Db, group: string, after: number): Promise<readonly TriedEvent[]> {
  const rows = await db.all<TryRow>(
    "select event, failed, state from tries where grp = ? and event > ? order by event",
    [group, after],
  );
  return withEvents(db, rows);
}

export async function groupNames(db: Db): Promise<readonly string[]> {
  return (await db.all<{ grp: string }>("select grp from tried_groups order by grp")).map((row) => row.grp);
}

/** What is left of events whose time was over. */
export async function dropOldTries(db: Db): Promise<number> {
  return db.run("delete from tries where event < (select min(id) from events)");
}

interface TryRow {
  readonly event: number;
  readonly failed: number;
  readonly state: string | null;
}

async function withEvents(db: Db, rows: readonly TryRow[]): Promise<readonly TriedEvent[]> {
  const found: TriedEvent[] = [];
  for (let from = 0; from < rows.length; from += CHUNK) {
    const some = rows.slice(from, from + CHUNK);
    const events = new Map(
      (
        await eventsByIds(
          db,
          some.map((row) => row.event),
        )
      ).map((event) => [event.id, event]),
    );
    for (const row of some) {
      const event = events.get(row.event);
      // Its time was over, and it went.
      if (event === undefined) continue;
      found.push({
        event,
        result: results[row.failed] ?? "worked",
        state: row.state === null ? [] : (JSON.parse(row.state) as string[]),
      });
    }
  }
  return found;
}

const CHUNK = 500;
