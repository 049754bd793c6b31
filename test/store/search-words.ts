import { searchEvents } from "../../src/search/search-events.ts";
import type { Db } from "../../src/store/engine/db.ts";

/** Searches events by words only, best first. */
export async function searchWords(db: Db, query: string, limit: number): Promise<{ id: number; score: number }[]> {
  const hits = await searchEvents({ db }, { query, limit, by: "words" });
  return hits.map(({ event, score }) => ({ id: event.id, score }));
}
