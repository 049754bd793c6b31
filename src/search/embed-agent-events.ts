import type { VectorRow, Db } from "../store/engine/db.ts";
import { listNewestAgentTexts } from "../store/events/agent-events.ts";
import type { Embedder } from "../models/embed/embedder.ts";

/** Older texts without a vector get one in the background, with all other events. */
const MAX_TEXTS = 200;
const BATCH = 16;

/**
 * Gives vectors to the newest texts of a named agent that have none, so that it recalls by meaning what was said a moment
 * ago. An embedder that fails leaves them to the next time.
 */
export async function embedAgentEvents(
  db: Db,
  agent: string,
  embedder: Pick<Embedder, "model" | "embed">,
): Promise<void> {
  const vectors = await db.dialect.vectors();
  const newest = await listNewestAgentTexts(db, agent, MAX_TEXTS);
  const texts = new Map(newest.map((one) => [String(one.id), one.text]));
  const missing = await vectors.missing(db, { noun: "event", model: embedder.model }, [...texts.keys()]);
  for (let from = 0; from < missing.length; from += BATCH) {
    const some = missing.slice(from, from + BATCH);
    const made = await embedder.embed(some.map((id) => `${agent}: ${texts.get(id) ?? ""}`));
    const rows = made.map((vector, at): VectorRow => ({
      noun: "event",
      subject: some[at] ?? "",
      model: embedder.model,
      dims: vector.length,
      vector,
    }));
    await vectors.put(db, rows);
  }
}
