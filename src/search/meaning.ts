import { OldhandError } from "../lib/errors.ts";
import type { Db } from "../store/engine/db.ts";
import type { Spread } from "./fuse.ts";

/** What a search needs of an embedder; no vector where a text cannot be embedded now. */
export interface QueryEmbedder {
  readonly model: string;
  embed(texts: readonly string[]): Promise<readonly Int8Array[]>;
}

export interface Meaning {
  /** Subjects whose meaning is nearest, nearest first. */
  readonly near: readonly string[];
  /** More of them, or the nearest of some. */
  nearest(k: number, subjects?: readonly string[]): Promise<readonly string[]>;
  /** How near others are; those without a vector are left out. */
  of(subjects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  readonly spread: Spread | null;
}

export const NO_MEANING: Meaning = { near: [], nearest: async () => [], of: async () => new Map(), spread: null };

/** How near the question is to what has a vector of this model; vectors of other models are never looked at. */
export async function meaningOf(
  world: { readonly db: Db; readonly embedder?: QueryEmbedder | null | undefined },
  query: string,
  asked: {
    readonly noun: string;
    readonly k: number;
    readonly subjects?: readonly string[] | undefined;
  },
): Promise<Meaning> {
  const { db, embedder } = world;
  if (!embedder) return NO_MEANING;
  const [vector] = await embedder.embed([query]);
  if (!vector) return NO_MEANING;
  const vectors = await db.dialect.vectors();
  const compared = await vectors.compare(db, vector, { ...asked, model: embedder.model });
  if (compared.best.length === 0) return NO_MEANING;
  return {
    near: compared.best.map((near) => near.subject),
    nearest: async (k, subjects) => (await compared.nearest(k, subjects)).map((near) => near.subject),
    of: compared.of,
    spread: { mean: compared.mean, deviation: compared.deviation },
  };
}

/** An embedder that cannot be reached leaves the search to the words, and says so once. */
export function meaningOrWords(embedder: QueryEmbedder, say?: (text: string) => void): QueryEmbedder {
  return {
    model: embedder.model,
    embed: async (texts) => {
      try {
        return await embedder.embed(texts);
      } catch (error) {
        if (!(error instanceof OldhandError)) throw error;
        say?.(`${error.message}; searching by words`);
        return [];
      }
    },
  };
}
