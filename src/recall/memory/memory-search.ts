import type { Memory, Viewer } from "../../domain/memory/memory.ts";
import { sharedWords } from "../../domain/text/similarity.ts";
import type { SearchContext } from "../../search/semantic-scores.ts";
import type { PassageFit } from "../../search/rank-passages.ts";
import { searchPassages } from "../../search/search-passages.ts";
import { getMemoriesByIds, listVisibleScopes, readMemoryRankings } from "../../store/nouns/memories.ts";

export interface MemorySearch {
  readonly query: string;
  /** The text for the search by meaning, if `query` has only its words. */
  readonly sense?: string | undefined;
  readonly anyWord?: boolean | undefined;
  /** The viewer; hits are limited to scopes visible to it. */
  readonly viewer: Viewer;
  readonly limit: number;
  readonly now: number;
}

export interface FoundMemory {
  readonly memory: Memory;
  readonly score: number;
  readonly fit: PassageFit;
  /** Cosine to the query; null without vectors. */
  readonly meaning: number | null;
  /** Why it was found, in words. */
  readonly why: string;
}

/** Finds memories for all of recall. Without an embedder it searches by words only, which is all a hook can afford. */
export async function findMemories(
  ctx: SearchContext,
  { query, sense, anyWord, viewer, limit, now }: MemorySearch,
): Promise<readonly FoundMemory[]> {
  const hits = await searchPassages(ctx, {
    noun: "memory",
    query,
    sense,
    anyWord,
    limit,
    scopes: await listVisibleScopes(ctx.db, viewer),
    now,
    known: async (subjects) =>
      new Map(
        [...(await readMemoryRankings(ctx.db, subjects))].map(([id, { importance, confidence, createdAt }]) => [
          id,
          { importance: importance / 100, confidence, at: createdAt },
        ]),
      ),
  });
  const memories = await getMemoriesByIds(
    ctx.db,
    hits.map((hit) => hit.subject),
  );
  return hits.flatMap(({ subject, score, meaning, fit }) => {
    const memory = memories.get(subject);
    if (!memory) return [];
    const shared = sharedWords(query, [memory.text, memory.key, ...memory.tags].join(" "));
    const words = shared.length > 0 ? [`words: ${shared.slice(0, 5).join(", ")}`] : [];
    const near = meaning === null ? [] : [`meaning ${meaning.toFixed(2)}`];
    return [{ memory, score, fit, meaning, why: [...words, ...near].join("; ") || "words" }];
  });
}
