import type { Context } from "../../../context.ts";
import { extractStrategy } from "../../../domain/goal/strategy.ts";
import { formatMemoryScope, type Memory } from "../../../domain/memory/memory.ts";
import { contentWords, differsInClaim, textSimilarity } from "../../../domain/text/similarity.ts";
import { groupBy } from "../../../lib/group-by.ts";
import { computeCosine, getVectors } from "../../../store/derived/stored-vectors.ts";
import { listMemories } from "../../../store/nouns/memories.ts";
import { OldhandError } from "../../../lib/errors.ts";

/** From 0 to 1. */
export type MeasureSimilarity = (a: Memory, b: Memory) => number;

/** By words; also by meaning, where both have a vector. Vectors alone do not tell a statement from its opposite. */
export function newSimilarity(vectors: ReadonlyMap<string, Int8Array>): MeasureSimilarity {
  return (a, b) => {
    const byWords = textSimilarity(a.text, b.text);
    const [one, other] = [vectors.get(a.id), vectors.get(b.id)];
    if (one === undefined || other === undefined || differsInClaim(a.text, b.text)) return byWords;
    return Math.max(byWords, computeCosine(one, other));
  };
}

/**
 * For each learning that is new: those that could be the same, because they share a rare word or are near in meaning. Comparing
 * words takes long, and nobody else can change the mind meanwhile, so few are left.
 */
export function listCandidates(
  fresh: readonly Memory[],
  all: readonly Memory[],
  { vectors, nearDuplicate }: { readonly vectors: ReadonlyMap<string, Int8Array>; readonly nearDuplicate: number },
): readonly { readonly memory: Memory; readonly near: readonly Memory[] }[] {
  const groups = groupBy(all, groupKey);
  const indexes = new Map([...groups].map(([key, some]) => [key, indexByWord(some)]));
  return fresh.map((memory) => {
    const index = indexes.get(groupKey(memory)) ?? new Map<string, readonly Memory[]>();
    const rarest = listLongest(memory)
      .map((word) => index.get(word) ?? [])
      .filter(({ length }) => length > 1)
      .toSorted((a, b) => a.length - b.length)
      .slice(0, RAREST);
    const own = vectors.get(memory.id);
    const byMeaning = (groups.get(groupKey(memory)) ?? []).filter(({ id }) => {
      const vector = vectors.get(id);
      return own !== undefined && vector !== undefined && computeCosine(own, vector) >= nearDuplicate;
    });
    const near = new Set([...rarest.flatMap((some) => some.slice(0, MOST_NEAR)), ...byMeaning]);
    return { memory, near: [...near].filter(({ id }) => id !== memory.id) };
  });
}

/** The stored vectors of learnings, and new ones of those that have none. Empty without an embedder that can be reached. */
export async function readLearningVectors({
  db,
  models,
}: Pick<Context, "db" | "models">): Promise<ReadonlyMap<string, Int8Array>> {
  const embedder = await models.embedder();
  if (embedder === null) return new Map();
  const learnings = (await listMemories(db, { status: "active", kind: "learning" })).slice(0, MOST_COMPARED);
  const stored = await getVectors(
    db,
    { noun: "memory", model: embedder.model },
    learnings.map(({ id }) => id),
  );
  const missing = learnings.filter(({ id }) => !stored.has(id)).slice(0, MOST_EMBEDDED);
  try {
    const made = missing.length === 0 ? [] : await embedder.embed(missing.map(({ text }) => text));
    return new Map([
      ...stored,
      ...missing.flatMap(({ id }, at) => (made[at] === undefined ? [] : [[id, made[at]] as const])),
    ]);
  } catch (error) {
    if (error instanceof OldhandError && error.code !== "stopped") return stored;
    throw error;
  }
}

const MOST_COMPARED = 1_000;
const MOST_EMBEDDED = 200;
const WORDS = 6;
const RAREST = 3;
const MOST_NEAR = 100;

/** Only learnings of one scope and category can be the same. */
function groupKey({ scope, category }: Memory): string {
  return `${formatMemoryScope(scope)}\n${category ?? ""}`;
}

/** Similar texts share their longest words. */
function listLongest({ text }: Memory): readonly string[] {
  return [...new Set(contentWords(extractStrategy(text)))].toSorted((a, b) => b.length - a.length).slice(0, WORDS);
}

function indexByWord(some: readonly Memory[]): ReadonlyMap<string, readonly Memory[]> {
  return new Map(
    [
      ...groupBy(
        some.flatMap((memory) => listLongest(memory).map((word) => ({ word, memory }))),
        ({ word }) => word,
      ),
    ].map(([word, all]) => [word, all.map(({ memory }) => memory)]),
  );
}
