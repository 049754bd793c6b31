import type { Memory } from "../../domain/memory/memory.ts";
import type { Db } from "../../store/engine/db.ts";
import { listMemories } from "../../store/nouns/memories.ts";

/** What is known about a goal: by the tables alone, the most certain first. */
export async function listOwnLearnings(db: Db, goal: string, limit: number): Promise<readonly Memory[]> {
  const found = await listMemories(db, { status: "active", scope: { kind: "goal", name: goal } });
  return found.toSorted((a, b) => b.confidence - a.confidence || b.createdAt - a.createdAt).slice(0, limit);
}
