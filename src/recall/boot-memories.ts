import { blockOf } from "../domain/trust/instruction-like.ts";
import type { Memory, Standpoint } from "../domain/memory/memory.ts";
import type { Policy } from "../domain/policy.ts";
import type { Context } from "../context.ts";
import { questionEmbedder } from "../search/meaning.ts";
import { listMemories } from "../store/memories.ts";
import { findMemories } from "./memory-search.ts";

export interface BootMemory {
  readonly memory: Memory;
  readonly because: "importance" | "workspace" | "similarity";
}

/**
 * What a session starts with: the most important, then what fits the situation best, none twice. Without a situation, what
 * is known of the workspace, then the rest, by importance: what the last session did says nothing of what this one
 * will do. What is blocked takes no place.
 */
export async function bootMemories(
  ctx: Pick<Context, "db" | "models">,
  start: {
    readonly here: Standpoint;
    readonly situation: string | null;
    readonly law: Policy["recall"];
    readonly now: number;
  },
): Promise<readonly BootMemory[]> {
  const { db } = ctx;
  const { here, situation, law, now } = start;
  const speaks = (memory: Memory) => blockOf(memory) === null;
  const all = await listMemories(db, { status: "active", seenFrom: here, limit: law.bootMost * 4 });
  const byImportance = all.filter(speaks);
  const important = byImportance.slice(0, law.bootImportant);
  const loaded = new Map<string, BootMemory>(
    important.map((memory) => [memory.id, { memory, because: "importance" as const }]),
  );
  if (situation !== null && all.length > 0) {
    const wanted = law.bootImportant + law.bootSimilar;
    const found = await findMemories(
      { db, embedder: await questionEmbedder(ctx) },
      { query: situation, here, limit: wanted * 2, now },
    );
    const fitting = found.map((one) => one.memory).filter((memory) => speaks(memory) && !loaded.has(memory.id));
    for (const memory of fitting.slice(0, law.bootSimilar)) loaded.set(memory.id, { memory, because: "similarity" });
  }
  // Nothing to compare by, or nothing that fits: the places are better filled than left empty. First by what is known of this workspace.
  if (loaded.size === important.length) {
    const ofHere = (await ownMemories(db, here, law.bootMost * 2)).filter(speaks);
    const rest = [
      ...ofHere.map((memory) => ({ memory, because: "workspace" as const })),
      ...byImportance.map((memory) => ({ memory, because: "importance" as const })),
    ].filter(({ memory }) => !loaded.has(memory.id));
    for (const one of rest)
      if (loaded.size < important.length + law.bootSimilar && !loaded.has(one.memory.id))
        loaded.set(one.memory.id, one);
  }
  return [...loaded.values()].slice(0, law.bootMost);
}

/** Those of the workspace alone. */
async function ownMemories(db: Context["db"], { workspace }: Standpoint, limit: number): Promise<readonly Memory[]> {
  if (!workspace) return [];
  return listMemories(db, { status: "active", scope: { kind: "workspace", name: workspace }, limit });
}
