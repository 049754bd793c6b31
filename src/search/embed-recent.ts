import type { Embedder } from "../models/embed/embedder.ts";
import type { Stoppable } from "../lib/stopped.ts";
import type { Db, VectorRow } from "../store/engine/db.ts";
import { hasMemories } from "../store/nouns/memories.ts";
import { listLatestPrompts } from "../store/events/past-prompts.ts";
import { embedMissing } from "./embed-missing.ts";

/** The prompts that memories are compared with, for two workspaces. */
const MAX_PROMPTS = 120;
const BATCH = 8;

/**
 * Computes the vectors that recall at a prompt compares: memories and recent prompts. Without memories it
 * does nothing and loads no model. True if more is left.
 */
export async function embedRecent(
  { db }: { readonly db: Db },
  open: () => Promise<Embedder | null>,
  stop: Stoppable,
): Promise<boolean> {
  const embedder = (await hasMemories(db)) ? await open() : null;
  if (embedder === null) return false;
  const { complete } = await embedMissing({ db }, embedder, { timeUp: stop, only: "passages" });
  if (!complete) return true;
  const vectors = await db.dialect.vectors();
  const prompts = await listLatestPrompts(db, MAX_PROMPTS);
  const texts = new Map(prompts.map((one) => [String(one.id), one.text]));
  const missing = await vectors.missing(db, { noun: "event", model: embedder.model }, [...texts.keys()]);
  for (let from = 0; from < missing.length; from += BATCH) {
    if (stop.aborted) return true;
    const some = missing.slice(from, from + BATCH);
    const made = await embedder.embed(some.map((id) => texts.get(id) ?? ""));
    const rows = made.map((vector, at): VectorRow => ({
      noun: "event",
      subject: some[at] ?? "",
      model: embedder.model,
      dims: vector.length,
      vector,
    }));
    await vectors.put(db, rows);
  }
  return false;
}
