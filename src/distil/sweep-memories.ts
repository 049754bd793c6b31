import type { Context } from "../context.ts";
import type { Cause } from "../domain/journal.ts";
import { type Memory, swept } from "../domain/memory/memory.ts";
import { changeAll } from "../store/journal.ts";
import { listMemories } from "../store/memories.ts";
import { countsOf } from "../store/memory-uses.ts";
import { deedOf } from "../store/remember.ts";

export interface Sweep {
  readonly stale: readonly { readonly before: Memory; readonly after: Memory }[];
  readonly written: number;
}

/** One sweep over all memories: what nobody used or confirmed for long loses confidence, every time. Shows, or writes. */
export function sweepMemories(
  world: Pick<Context, "db" | "clock" | "config" | "actor">,
  how: { readonly write: boolean; readonly cause: Cause },
): Promise<Sweep> {
  return world.db.tx(async (db) => {
    const all = await listMemories(db, { status: "active" });
    const counts = await countsOf(
      db,
      all.map((memory) => memory.id),
    );
    const at = world.clock.now();
    const stale = all.flatMap((before) => {
      const so = counts.get(before.id);
      const sign = Math.max(so?.lastUsedAt ?? 0, so?.lastConfirmedAt ?? 0);
      const after = swept(before, sign, world.config.policy.memory, at);
      return after === before ? [] : [{ before, after }];
    });
    const deeds = stale.map(({ after }) => deedOf(after, { actor: world.actor, cause: how.cause, at }));
    return { stale, written: how.write ? (await changeAll(db, deeds)).length : 0 };
  });
}
