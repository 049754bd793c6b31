import type { Embedder } from "../models/embed/embedder.ts";
import type { Db, VectorRow } from "../store/engine/db.ts";
import { listNewestAgentEvents } from "../store/events/agent-events.ts";
import { getEventsByIds } from "../store/events/events.ts";
import { getSpokenText } from "./embed-missing.ts";

/** Older events without a vector get one in the background, with all others. */
const MAX_EVENTS = 200;
const BATCH = 16;

/** Gives vectors to the newest events of a named agent that have none, so that it recalls by meaning what was said a moment ago. */
export async function embedAgentEvents(
  db: Db,
  agent: string,
  embedder: Pick<Embedder, "model" | "embed">,
): Promise<void> {
  const vectors = await db.dialect.vectors();
  const newest = (await listNewestAgentEvents(db, agent, MAX_EVENTS)).map(String);
  const missing = await vectors.missing(db, { noun: "event", model: embedder.model }, newest);
  for (let from = 0; from < missing.length; from += BATCH) {
    const events = await getEventsByIds(db, missing.slice(from, from + BATCH).map(Number));
    const made = await embedder.embed(events.map(getSpokenText));
    const rows = events.flatMap((event, at): VectorRow[] => {
      const vector = made[at];
      return vector === undefined
        ? []
        : [{ noun: "event", subject: String(event.id), model: embedder.model, dims: vector.length, vector }];
    });
    await vectors.put(db, rows);
  }
}
