import type { Context } from "../context.ts";
import { type Memory, swept } from "../domain/memory/memory.ts";
import { type By, changeAll, underLock } from "../store/journal.ts";
import { listMemories } from "../store/memories.ts";
import { countsOf } from "../store/memory-uses.ts";
import { memoriesAs } from "../store/remember.ts";

export interface Sweep {
  readonly stale: readonly { readonly before: Memory; readonly after: Memory }[];
  readonly written: number;
}

/** One sweep over all memories: what nobody used or confirmed for long loses confidence, every time. Shows, or writes. */
export function sweepMemories(
  ctx: Pick<Context, "db" | "clock" | "config">,
  how: { readonly write: boolean; readonly by: By },
): Promise<Sweep> {
  return underLock(ctx.db, async (db) => {
    const all = await listMemories(db, { status: "active" });
    const counts = await countsOf(
      db,
      all.map((memory) => memory.id),
    );
    const at = ctx.clock.now();
    const stale = all.flatMap((before) => {
      const so = counts.get(before.id);
      const sign = Math.max(so?.lastUsedAt ?? 0, so?.lastConfirmedAt ?? 0);
      const after = swept(before, sign, ctx.config.policy.memory, at);
      return after === before ? [] : [{ before, after }];
    });
    if (!how.write) return { stale, written: 0 };
    const changes = memoriesAs(
      stale.map(({ after }) => after),
      { ...how.by, at },
    );
    return { stale, written: (await changeAll(db, changes)).length };
  });
}
