import type { Memory, Standpoint } from "../domain/memory.ts";
import { sharedWords } from "../domain/similarity.ts";
import type { Db } from "../store/db.ts";
import { searchMemories } from "../store/memories.ts";

export interface MemorySearch {
  readonly query: string;
  /** From where it is asked: nothing of another scope may be among the hits. */
  readonly here: Standpoint;
  readonly limit: number;
}

export interface FoundMemory {
  readonly memory: Memory;
  readonly score: number;
  /** What speaks for it, in words. */
  readonly why: string;
}

/** One function finds memories for all of recall, so that a better one can take its place. */
export type FindMemories = (db: Db, search: MemorySearch) => Promise<readonly FoundMemory[]>;

/** By words: needs no model, no vectors and no process that already lives. */
export const memoriesByWords: FindMemories = async (db, { query, here, limit }) => {
  const hits = await searchMemories(db, query, { status: "active", seenFrom: here, limit });
  return hits.map(({ memory, score }) => {
    const shared = sharedWords(query, [memory.text, memory.key, ...memory.tags].join(" "));
    return { memory, score, why: shared.length > 0 ? `words: ${shared.slice(0, 5).join(", ")}` : "words" };
  });
};
