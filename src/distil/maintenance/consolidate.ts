import { supersedeMemory, unpinMemory } from "../../domain/memory/decisions.ts";
import { leastTrusted, type Memory, formatMemoryScope } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import type { Db } from "../../store/engine/db.ts";
import { listMemories } from "../../store/nouns/memories.ts";
import { type FindSimilarMemories, findSimilarByWords } from "../../store/journal/remember.ts";

export interface Consolidation {
  /** The remaining memory, after the merge. */
  readonly kept: Memory;
  readonly superseded: readonly Memory[];
  /** The lowest similarity among them. */
  readonly similarity: number;
}

/** Memories of one scope with the same content: the most trusted one replaces the others. Writes nothing. */
export async function findConsolidations(
  db: Db,
  policy: Policy["memory"],
  findSimilar: FindSimilarMemories = findSimilarByWords,
): Promise<readonly Consolidation[]> {
  const all = await listMemories(db, { status: "active" });
  const taken = new Set<string>();
  const found: Consolidation[] = [];
  for (const memory of all.toSorted(surestFirst)) {
    if (taken.has(memory.id)) continue;
    const near = (await findSimilar(db, memory.text, memory.scope)).filter(
      (one) =>
        one.similarity >= policy.nearDuplicate &&
        one.memory.id !== memory.id &&
        !taken.has(one.memory.id) &&
        one.memory.kind === memory.kind &&
        one.memory.category === memory.category &&
        formatMemoryScope(one.memory.scope) === formatMemoryScope(memory.scope),
    );
    if (near.length === 0) continue;
    const others = near.map((one) => one.memory);
    for (const one of [memory, ...others]) taken.add(one.id);
    found.push({
      kept: mergeMemories(memory, others),
      superseded: others.map((one) => supersedeMemory(unpinMemory(one))),
      similarity: Math.min(...near.map((one) => one.similarity)),
    });
  }
  return found;
}

/** Keeps its own text and trust; less trusted texts are not merged into it. */
export function mergeMemories(memory: Memory, others: readonly Memory[]): Memory {
  return {
    ...memory,
    importance: Math.max(memory.importance, ...others.map((one) => one.importance)),
    tags: [...new Set([memory, ...others].flatMap((one) => one.tags))].toSorted(),
    pinned: memory.pinned || others.some((one) => one.pinned),
    trust: leastTrusted([memory.trust, memory.origin]),
    supersedes: [...new Set([...memory.supersedes, ...others.map((one) => one.id)])],
  };
}

/** Trust before confidence: a confident external text does not outrank the owner. */
export function surestFirst(a: Memory, b: Memory): number {
  const trust = (memory: Memory) => ["owner", "agent", "tool", "external"].indexOf(memory.trust);
  return (
    trust(a) - trust(b) ||
    b.confidence - a.confidence ||
    b.importance - a.importance ||
    b.text.length - a.text.length ||
    (a.id < b.id ? -1 : 1)
  );
}
