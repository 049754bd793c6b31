import type { Event, Ref } from "../../domain/event/event.ts";
import type { Db } from "../engine/db.ts";
import { getEventsByIds } from "./events.ts";

/** The cited calls that are still stored, in no order. */
export async function citedCalls(db: Db, refs: readonly (Ref & { readonly host: string })[]): Promise<Event[]> {
  if (refs.length === 0) return [];
  const rows = await db.all<{ id: number }>(
    `select id from events where kind = 'call' and (${refs.map(() => "(session = ? and host = ? and coalesce(seq, id) = ?)").join(" or ")})`,
    refs.flatMap(({ session, host, seq }) => [session, host, seq]),
  );
  return getEventsByIds(
    db,
    rows.map((row) => row.id),
  );
}
