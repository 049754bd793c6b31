import type { NewEvent } from "../../domain/event/event.ts";
import { SECOND } from "../../lib/clock.ts";
import { hashText } from "../../lib/hash.ts";
import type { Db } from "../engine/db.ts";

export interface MomentOccurrence {
  readonly host: string;
  readonly session: string;
  /** The acting sub-agent, if any. */
  readonly agent: string | null;
  readonly moment: string;
  /** Distinguishes it from other moments of its kind: its prompt, its source. */
  readonly detail: string;
}

/**
 * True if this is the first report of a moment. A host with our hooks installed twice reports it twice, in
 * two processes at once; only one gets true. The same report counts as a new moment after another moment in
 * between, or after a while.
 */
export async function claimMoment(db: Db, occurrence: MomentOccurrence, now: number): Promise<boolean> {
  const whose = hashText(JSON.stringify([occurrence.host, occurrence.session, occurrence.agent]));
  const others = moments.filter((moment) => moment !== occurrence.moment).map((moment) => `${whose} ${moment}`);
  const changed = await db.run(
    `insert into kv (space, key, value, bytes, until, written_at) values (?, ?, ?, 0, ?, ?)
     on conflict (space, key) do update set value = excluded.value, until = excluded.until, written_at = excluded.written_at
     where kv.until <= excluded.written_at or kv.value <> excluded.value or exists (
       select 1 from kv as other
       where other.space = kv.space and other.key in (${others.map(() => "?").join(", ")}) and other.written_at > kv.written_at
     )`,
    [SPACE, `${whose} ${occurrence.moment}`, hashText(occurrence.detail), now + WINDOW_MS, now, ...others],
  );
  return changed === 1;
}

/**
 * True if this moment is stored already, as another event. Two processes that report one moment at the same time give it
 * different ids; the one whose store was too slow could not see the other's claim.
 */
export async function isMomentStored(db: Db, event: NewEvent): Promise<boolean> {
  if (!moments.some((moment) => moment === event.kind)) return false;
  const whose = "host = ? and session = ? and coalesce(agent, '') = ?";
  const owner = [event.host, event.session, event.agent ?? ""];
  const near = await db.all<{ uid: string; at: number }>(
    `select uid, at from events where ${whose} and kind = ? and at between ? and ? and coalesce(text, '') = ?`,
    [...owner, event.kind, event.at - WINDOW_MS, event.at + WINDOW_MS, event.text ?? ""],
  );
  const others = moments.filter((moment) => moment !== event.kind);
  for (const { uid, at } of near) {
    // The beginning of an id tells a stop from one that came after our own message.
    if (uid === event.uid || uid.split(":")[0] !== event.uid.split(":")[0]) continue;
    const between = await db.get(
      `select 1 as one from events where ${whose} and kind in (${others.map(() => "?").join(", ")}) and at > ? and at < ? limit 1`,
      [...owner, ...others, Math.min(at, event.at), Math.max(at, event.at)],
    );
    if (between === undefined) return true;
  }
  return false;
}

const SPACE = "moments";
/** Longer than a loaded machine needs to start two processes. */
const WINDOW_MS = 10 * SECOND;

/** Moments without an id in the events; a call has one. */
const moments = ["session-start", "prompt", "stop", "session-end"] as const;
