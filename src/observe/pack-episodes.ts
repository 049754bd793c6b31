import type { Context } from "../context.ts";
import { DAY, HOUR } from "../lib/clock.ts";
import { packEpisodes, type PackedCounts, pruneEpisodes } from "../store/removal/episodes.ts";

export interface PackResult extends PackedCounts {
  /** Events deleted because their retention time is over. */
  readonly pruned: number;
}

/** In events, about a second of work: enough to keep up with agents, and short enough to run alongside other work. */
const BUDGET = 20_000;

/** Packs digested sessions that are inactive, and deletes episodes that are too old. Never called from a hook. */
export async function packAndPruneEpisodes(
  ctx: Pick<Context, "db" | "clock" | "config">,
  budget: number = BUDGET,
): Promise<PackResult> {
  const { packAfterHours, episodeDays } = ctx.config.policy.observe;
  const now = ctx.clock.now();
  const packed = await packEpisodes(ctx.db, { now, quietMs: packAfterHours * HOUR, budget });
  const pruned = await pruneEpisodes(ctx.db, { now, keepMs: episodeDays * DAY, budget });
  return { ...packed, pruned: pruned.events };
}
