import type { MemoryCounts } from "../../domain/memory/memory.ts";
import type { Db } from "../engine/db.ts";

export const memoryUseKinds = ["recalled", "confirmed", "contradicted", "checked"] as const;
export type MemoryUseKind = (typeof memoryUseKinds)[number];

/** Log rows about memories, not journalled; counters are derived from them. */
export function recordMemoryUses(
  db: Db,
  memories: readonly string[],
  use: {
    readonly at: number;
    readonly kind: MemoryUseKind;
    readonly host?: string | null | undefined;
    readonly session?: string | null | undefined;
  },
): Promise<number> {
  return db.insertMany(
    { table: "memory_uses", columns: ["memory", "at", "deed", "host", "session"] },
    memories.map((memory) => [memory, use.at, use.kind, use.host ?? null, use.session ?? null]),
  );
}

export const noMemoryCounts: MemoryCounts = {
  uses: 0,
  confirmations: 0,
  contradictions: 0,
  lastUsedAt: null,
  lastConfirmedAt: null,
};

export async function countMemoryUses(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, MemoryCounts>> {
  const counts = new Map<string, MemoryCounts>();
  for (let from = 0; from < ids.length; from += CHUNK) {
    const some = ids.slice(from, from + CHUNK);
    const rows = await db.all<{ memory: string; deed: string; count: number; last: number }>(
      `select memory, deed, count(*) as count, max(at) as last from memory_uses
       where memory in (${some.map(() => "?").join(", ")}) group by memory, deed`,
      some,
    );
    for (const row of rows) {
      const so = counts.get(row.memory) ?? noMemoryCounts;
      if (row.deed === "recalled") counts.set(row.memory, { ...so, uses: row.count, lastUsedAt: row.last });
      else if (row.deed === "confirmed")
        counts.set(row.memory, { ...so, confirmations: row.count, lastConfirmedAt: row.last });
      else if (row.deed === "contradicted") counts.set(row.memory, { ...so, contradictions: row.count });
    }
  }
  return counts;
}

/** When each was last checked against what happened; those that never were are left out. */
export async function readLastChecks(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const checks = new Map<string, number>();
  for (let from = 0; from < ids.length; from += CHUNK) {
    const some = ids.slice(from, from + CHUNK);
    const rows = await db.all<{ memory: string; last: number }>(
      `select memory, max(at) as last from memory_uses
       where memory in (${some.map(() => "?").join(", ")}) and deed = 'checked' group by memory`,
      some,
    );
    for (const { memory, last } of rows) checks.set(memory, last);
  }
  return checks;
}

const CHUNK = 500;
