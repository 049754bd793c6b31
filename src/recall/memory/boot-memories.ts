import { findBlockReason } from "../../domain/trust/instruction-like.ts";
import type { Memory, Viewer } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import type { Context } from "../../context.ts";
import { openQueryEmbedder } from "../../search/semantic-scores.ts";
import { listMemories } from "../../store/nouns/memories.ts";
import { findMemories } from "./memory-search.ts";

export interface BootMemory {
  readonly memory: Memory;
  readonly because: "importance" | "workspace" | "similarity";
}

/**
 * Memories for a session start: the most important, then those most similar to the situation, each once.
 * Without a situation, those of the workspace, then others by importance: the last session's work does not
 * predict this one's. Blocked memories are left out.
 */
export async function loadBootMemories(
  ctx: Pick<Context, "db" | "models">,
  start: {
    readonly viewer: Viewer;
    readonly situation: string | null;
    readonly policy: Policy["recall"];
    readonly now: number;
  },
): Promise<readonly BootMemory[]> {
  const { db } = ctx;
  const { viewer, situation, policy, now } = start;
  const speaks = (memory: Memory) => findBlockReason(memory) === null;
  const all = await listMemories(db, { status: "active", viewer, limit: policy.bootMost * 4 });
  const byImportance = all.filter(speaks);
  const important = byImportance.slice(0, policy.bootImportant);
  const loaded = new Map<string, BootMemory>(
    important.map((memory) => [memory.id, { memory, because: "importance" as const }]),
  );
  if (situation !== null && all.length > 0) {
    const wanted = policy.bootImportant + policy.bootSimilar;
    const found = await findMemories(
      { db, embedder: await openQueryEmbedder(ctx) },
      { query: situation, viewer, limit: wanted * 2, now },
    );
    const fitting = found.map((one) => one.memory).filter((memory) => speaks(memory) && !loaded.has(memory.id));
    for (const memory of fitting.slice(0, policy.bootSimilar)) loaded.set(memory.id, { memory, because: "similarity" });
  }
  // No situation, or nothing similar: fill the places, first with memories of this workspace.
  if (loaded.size === important.length) {
    const ofHere = (await listWorkspaceMemories(db, viewer, policy.bootMost * 2)).filter(speaks);
    const rest = [
      ...ofHere.map((memory) => ({ memory, because: "workspace" as const })),
      ...byImportance.map((memory) => ({ memory, because: "importance" as const })),
    ].filter(({ memory }) => !loaded.has(memory.id));
    for (const one of rest)
      if (loaded.size < important.length + policy.bootSimilar && !loaded.has(one.memory.id))
        loaded.set(one.memory.id, one);
  }
  return [...loaded.values()].slice(0, policy.bootMost);
}

/** Memories scoped to the workspace only. */
async function listWorkspaceMemories(
  db: Context["db"],
  { workspace }: Viewer,
  limit: number,
): Promise<readonly Memory[]> {
  if (!workspace) return [];
  return listMemories(db, { status: "active", scope: { kind: "workspace", name: workspace }, limit });
}
