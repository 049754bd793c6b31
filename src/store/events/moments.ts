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

const SPACE = "moments";
/** Longer than a loaded machine needs to start two processes. */
const WINDOW_MS = 10 * SECOND;

/** Moments without an id in the events; a call has one. */
const moments = ["session-start", "prompt", "stop", "session-end"] as const;
