import type { Context } from "../../context.ts";
import { type Memory, sweepMemory } from "../../domain/memory/memory.ts";
import { type Provenance, applyAllChanges, withJournalLock } from "../../store/journal/journal.ts";
import { listMemories } from "../../store/nouns/memories.ts";
import { countMemoryUses } from "../../store/shown/memory-uses.ts";
import { planMemoryChanges } from "../../store/journal/remember.ts";

export interface SweepResult {
  readonly stale: readonly { readonly before: Memory; readonly after: Memory }[];
  readonly written: number;
}

/** One sweep over all memories: each unused and unconfirmed one loses confidence. Writes only with `write`. */
export function sweepMemories(
  ctx: Pick<Context, "db" | "clock" | "config">,
  options: { readonly write: boolean; readonly by: Provenance },
): Promise<SweepResult> {
  return withJournalLock(ctx.db, async (db) => {
    const all = await listMemories(db, { status: "active" });
    const counts = await countMemoryUses(
      db,
      all.map((memory) => memory.id),
    );
    const at = ctx.clock.now();
    const stale = all.flatMap((before) => {
      const so = counts.get(before.id);
      const sign = Math.max(so?.lastUsedAt ?? 0, so?.lastConfirmedAt ?? 0);
      const after = sweepMemory(before, sign, ctx.config.policy.memory, at);
      return after === before ? [] : [{ before, after }];
    });
    if (!options.write) return { stale, written: 0 };
    const changes = planMemoryChanges(
      stale.map(({ after }) => after),
      { ...options.by, at },
    );
    return { stale, written: (await applyAllChanges(db, changes)).length };
  });
}
