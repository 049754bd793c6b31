import type { Context } from "../context.ts";
import { OldhandError } from "../lib/errors.ts";
import { withTimeout } from "../lib/with-timeout.ts";
import type { Embedder } from "../models/embed/embedder.ts";
import type { Db } from "../store/engine/db.ts";
import type { Spread } from "./fuse.ts";

/** The part of an embedder that a search needs. `embed` returns no vector if a text cannot be embedded now. */
export type QueryEmbedder = Pick<Embedder, "model" | "related" | "embed">;

/** Without an embedder a search uses words only, which is all a hook can afford. */
export interface SearchContext {
  readonly db: Db;
  readonly embedder?: QueryEmbedder | null | undefined;
}

export interface SemanticScores {
  /** The subjects nearest in meaning, nearest first. */
  readonly near: readonly string[];
  /** More of them, or the nearest among `subjects`. */
  nearest(k: number, subjects?: readonly string[]): Promise<readonly string[]>;
  /** The cosines of other subjects; those without a vector are left out. */
  of(subjects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** For each subject, how near its own nearest neighbours are. */
  crowding(subjects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  readonly spread: Spread | null;
  /** The cosine from which two texts are related in this model; null if unknown. */
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

/** Compares the query with the vectors of this model; those of other models are ignored. */
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

/** How long a query waits for its vector before it uses words only. */
const PATIENCE_MS = 5_000;

const tooLateError = () => new OldhandError("unreachable", "the embedder takes too long");

/** The embedder for queries: if it fails or takes too long, the search uses words only. */
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
    // Cached, because a recall searches several places with one query.
    embed: ([text = ""]) => {
      if (last?.text !== text) last = { text, vectors: embedOne(text) };
      return last.vectors;
    },
  };
}
