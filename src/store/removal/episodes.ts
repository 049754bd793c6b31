import { gunzipSync, gzipSync } from "node:zlib";
import type { Event } from "../../domain/event/event.ts";
import { DAY, iso } from "../../lib/clock.ts";
import type { Db } from "../engine/db.ts";
import { getEventsByIds } from "../events/events.ts";
import { removeEvents } from "./remove-events.ts";

export interface PackOptions {
  readonly now: number;
  /** A session must have been quiet this long. */
  readonly quietMs: number;
  /** About this many events at most; the rest waits for the next run. */
  readonly budget: number;
}

export interface PackedCounts {
  readonly sessions: number;
  readonly episodes: number;
  readonly events: number;
}

/** Packs quiet sessions into episodes: one compressed row per session and day. Skips what is packed already. */
export async function packEpisodes(db: Db, packing: PackOptions): Promise<PackedCounts> {
  const waiting = await db.all<UnpackedSession>(
    "select host, id, events from sessions where events > packed and last_at < ? order by last_at, id limit 1000",
    [packing.now - packing.quietMs],
  );
  let [sessions, episodes, events] = [0, 0, 0];
  for (const session of waiting) {
    if (events >= packing.budget) break;
    const made = await db.tx((tx) => packSession(tx, session, packing.now));
    sessions++;
    episodes += made.episodes;
    events += Math.max(made.events, 1);
  }
  return { sessions, episodes, events };
}

interface UnpackedSession {
  readonly host: string;
  readonly id: string;
  readonly events: number;
}

async function packSession(
  tx: Db,
  session: UnpackedSession,
  now: number,
): Promise<{ episodes: number; events: number }> {
  const days = await tx.all<{ day: number }>(
    `select distinct at / ${DAY} as day from events where session = ? and host = ? order by 1`,
    [session.id, session.host],
  );
  let [episodes, events] = [0, 0];
  for (const { day } of days) {
    const added = await packDay(tx, session, day, now);
    if (added > 0) episodes++;
    events += added;
  }
  // The number counted when it was chosen: events added since make it due again.
  await tx.run("update sessions set packed = ? where id = ? and host = ?", [session.events, session.id, session.host]);
  return { episodes, events };
}

/** Packed events stay unchanged, even if the event was truncated since; only new ones are added. */
async function packDay(tx: Db, session: UnpackedSession, day: number, now: number): Promise<number> {
  const name = iso(day * DAY).slice(0, 10);
  const known = await tx.get<{ data: Uint8Array }>(
    "select data from episodes where session = ? and host = ? and day = ?",
    [session.id, session.host, name],
  );
  const before = known ? unpackEvents(known.data) : [];
  const uids = new Set(before.map((event) => event.uid));
  const fresh = (await listEventsOfDay(tx, session, day)).filter((event) => !uids.has(event.uid));
  if (fresh.length === 0) return 0;
  const all = [...before, ...fresh];
  const text = packEvents(all);
  await tx.run(
    `insert into episodes (host, session, day, events, bytes, packed_at, data) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (session, host, day) do update set
       events = excluded.events, bytes = excluded.bytes, packed_at = excluded.packed_at, data = excluded.data`,
    [session.host, session.id, name, all.length, Buffer.byteLength(text), now, gzipSync(text)],
  );
  return fresh.length;
}

/** A session's packed events, in order. */
export async function listPackedEvents(
  db: Db,
  session: { readonly host: string; readonly id: string },
): Promise<Event[]> {
  const rows = await db.all<{ data: Uint8Array }>(
    "select data from episodes where session = ? and host = ? order by day",
    [session.id, session.host],
  );
  return rows.flatMap((row) => unpackEvents(row.data)).toSorted((a, b) => a.seq - b.seq || a.id - b.id);
}

export interface PruneOptions {
  readonly now: number;
  readonly keepMs: number;
  readonly budget: number;
}

/**
 * Deletes old episodes with their events and derived data; session rows stay, and rules keep the excerpts
 * they cite. Age counts from the day itself, or from the packing if that was later, so that imported history
 * is not deleted at once.
 */
export async function pruneEpisodes(db: Db, pruning: PruneOptions): Promise<{ episodes: number; events: number }> {
  const before = pruning.now - pruning.keepMs;
  const old = await db.all<{ host: string; session: string; day: string }>(
    "select host, session, day from episodes where packed_at < ? and day < ? order by packed_at limit 1000",
    [before, iso(before).slice(0, 10)],
  );
  let [episodes, events] = [0, 0];
  for (const episode of old) {
    if (events >= pruning.budget) break;
    events += await db.tx((tx) => pruneEpisode(tx, episode));
    episodes++;
  }
  return { episodes, events };
}

async function pruneEpisode(
  tx: Db,
  episode: { readonly host: string; readonly session: string; readonly day: string },
): Promise<number> {
  const session = { host: episode.host, id: episode.session };
  const ids = await listIdsOfDay(tx, session, Math.floor(Date.parse(`${episode.day}T00:00:00Z`) / DAY));
  await removeEvents(tx, ids);
  await tx.run("delete from episodes where session = ? and host = ? and day = ?", [
    episode.session,
    episode.host,
    episode.day,
  ]);
  return ids.length;
}

/** Removes events from a session's episodes, by id; deletes episodes that become empty. */
export async function removeFromEpisodes(
  tx: Db,
  session: { readonly host: string; readonly id: string },
  ids: ReadonlySet<number>,
): Promise<void> {
  const whose = [session.id, session.host];
  const rows = await tx.all<{ day: string; data: Uint8Array }>(
    "select day, data from episodes where session = ? and host = ?",
    whose,
  );
  for (const { day, data } of rows) {
    const before = unpackEvents(data);
    const left = before.filter((event) => !ids.has(event.id));
    if (left.length === before.length) continue;
    if (left.length === 0)
      await tx.run("delete from episodes where session = ? and host = ? and day = ?", [...whose, day]);
    else {
      const text = packEvents(left);
      await tx.run("update episodes set events = ?, bytes = ?, data = ? where session = ? and host = ? and day = ?", [
        left.length,
        Buffer.byteLength(text),
        gzipSync(text),
        ...whose,
        day,
      ]);
    }
  }
}

const CHUNK = 500;

async function listEventsOfDay(tx: Db, session: { host: string; id: string }, day: number): Promise<Event[]> {
  const ids = await listIdsOfDay(tx, session, day);
  const events: Event[] = [];
  for (let from = 0; from < ids.length; from += CHUNK)
    events.push(...(await getEventsByIds(tx, ids.slice(from, from + CHUNK))));
  return events.toSorted((a, b) => a.seq - b.seq || a.id - b.id);
}

async function listIdsOfDay(tx: Db, session: { host: string; id: string }, day: number): Promise<number[]> {
  const rows = await tx.all<{ id: number }>(
    "select id from events where session = ? and host = ? and at >= ? and at < ? order by id + 0",
    [session.id, session.host, day * DAY, (day + 1) * DAY],
  );
  return rows.map((row) => row.id);
}

function packEvents(events: readonly Event[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

function unpackEvents(data: Uint8Array): Event[] {
  return gunzipSync(data)
    .toString("utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);
}
