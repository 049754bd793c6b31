import type { Context } from "../context.ts";
import { OldhandError } from "../lib/errors.ts";
import { withTimeout } from "../lib/with-timeout.ts";
import type { Embedder } from "../models/embed/embedder.ts";
import type { Db } from "../store/engine/db.ts";
import type { Spread } from "./fuse.ts";

/** What a search needs of an embedder; no vector where a text cannot be embedded now. */
export type QueryEmbedder = Pick<Embedder, "model" | "related" | "embed">;

/** What a search needs. Without an embedder it goes by words: what a hook can afford. */
export interface SearchContext {
  readonly db: Db;
  readonly embedder?: QueryEmbedder | null | undefined;
}

export interface SemanticScores {
  /** Subjects whose meaning is nearest, nearest first. */
  readonly near: readonly string[];
  /** More of them, or the nearest of some. */
  nearest(k: number, subjects?: readonly string[]): Promise<readonly string[]>;
  /** How near others are; those without a vector are left out. */
  of(subjects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How near the nearest of each are to it. */
  crowding(subjects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  readonly spread: Spread | null;
  /** The cosine from which two texts of this model have something to do with each other; null where nobody knows. */
  readonly related: number | null;
}

export const NO_SEMANTIC_SCORES: SemanticScores = {
  near: [],
  nearest: async () => [],
  of: async () => new Map(),
  crowding: async () => new Map(),
  spread: null,
  related: null,
};

/** How near the question is to what has a vector of this model; vectors of other models are never looked at. */
export async function computeSemanticScores(
  ctx: SearchContext,
  query: string,
  target: {
    readonly noun: string;
    readonly k: number;
    readonly subjects?: readonly string[] | undefined;
  },
): Promise<SemanticScores> {
  const { db, embedder } = ctx;
  if (!embedder) return NO_SEMANTIC_SCORES;
  const [vector] = await embedder.embed([query]);
  if (!vector) return NO_SEMANTIC_SCORES;
  const vectors = await db.dialect.vectors();
  const compared = await vectors.compare(db, vector, { ...target, model: embedder.model });
  if (compared.best.length === 0) return NO_SEMANTIC_SCORES;
  return {
    near: compared.best.map((near) => near.subject),
    nearest: async (k, subjects) => (await compared.nearest(k, subjects)).map((near) => near.subject),
    of: compared.of,
    crowding: compared.crowding,
    spread: { mean: compared.mean, deviation: compared.deviation },
    related: embedder.related ?? null,
  };
}

/** How long a question waits for its vector before it goes by words. */
const PATIENCE_MS = 5_000;

const tooLateError = () => new OldhandError("unreachable", "the embedder takes too long");

/** A mind's embedder as a question uses it: one that fails or takes too long leaves the search to the words. */
export async function openQueryEmbedder({
  models,
  report,
}: Pick<Context, "models"> & Partial<Pick<Context, "report">>): Promise<QueryEmbedder | null> {
  const embedder = await models.embedder();
  if (!embedder) return null;
  let last: { readonly text: string; readonly vectors: Promise<readonly Int8Array[]> } | null = null;
  const embedOne = async (text: string): Promise<readonly Int8Array[]> => {
    try {
      return await withTimeout(embedder.embed([text]), PATIENCE_MS, tooLateError);
    } catch (error) {
      if (!(error instanceof OldhandError)) throw error;
      report?.({ text: `${error.message}; searching by words` });
      return [];
    }
  };
  return {
    model: embedder.model,
    related: embedder.related,
    // A recall searches several places with one question.
    embed: ([text = ""]) => {
      if (last?.text !== text) last = { text, vectors: embedOne(text) };
      return last.vectors;
    },
  };
}
