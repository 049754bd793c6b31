import type { Context } from "../context.ts";
import { DAY, HOUR } from "../lib/clock.ts";
import { packEpisodes, type PackedCounts, pruneEpisodes } from "../store/removal/episodes.ts";

export interface PackResult extends PackedCounts {
  /** Events that were kept their time. */
  readonly pruned: number;
}

/** About a second's work: enough to keep up with what agents do, and short enough to be done in passing. */
const BUDGET = 20_000;

/** Packs digested sessions that have gone quiet, and lets go of what is too old. Never from a hook. */
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
