import type { Context } from "../../context.ts";
import type { Level, Matcher, Scope } from "../../domain/rule/rule.ts";
import { isRefreshedInBackground } from "../../store/state/background.ts";
import { writeCachedResults, readCachedResults } from "../../store/state/result-cache.ts";
import { cursors, readCursor } from "../../store/state/cursors.ts";
import { listGroupsToMine, countTriesIn } from "../../store/derived/tries.ts";
import { MAX_GROUP_CALLS } from "./mine-failures.ts";
import { runMiners } from "./run-miners.ts";
import type { Backtest } from "./proposal.ts";

/** A rule that would be proposed for a kind of failure. */
export interface FailureProposal {
  readonly signature: string;
  readonly scope: Scope;
  readonly matcher: Matcher;
  /** Errors that are its evidence. */
  readonly errors: readonly string[];
  readonly text: string;
  readonly level: Level;
  readonly backtest: Backtest | null;
}

/** At most this many calls or new events are read while a caller waits. */
const MAX_INLINE_CALLS = 6_000;
const KEY = "failures by matcher";

/**
 * What would be proposed now. In a small mind it is computed each time; in a large one it is the result of
 * the last import, `distil`, maintenance or long-running process.
 */
export async function listFailureProposals(ctx: Omit<Context, "store">): Promise<readonly FailureProposal[]> {
  const { db } = ctx;
  const groups = await listGroupsToMine(db, ctx.config.policy.distil.minCount, true);
  const digested = await readCursor(db, cursors.digested);
  const behind = digested - (await readCursor(db, cursors.tried));
  if (Math.max(behind, countTriesIn(groups, MAX_GROUP_CALLS)) <= MAX_INLINE_CALLS) return mineProposals(ctx);
  const kept = (await readCachedResults(db, "proposals", [KEY])).get(KEY);
  if (kept !== undefined) return JSON.parse(kept.value) as FailureProposal[];
  if (isRefreshedInBackground(db)) return [];
  ctx.report({ text: "looking for rules in what was observed" });
  return cacheProposals(ctx);
}

/** Mines, and caches the result. */
async function cacheProposals(ctx: Omit<Context, "store">): Promise<readonly FailureProposal[]> {
  const found = await mineProposals(ctx);
  const version = String(await countFailuresToMine(ctx));
  await writeCachedResults(ctx.db, "proposals", [{ key: KEY, version, value: JSON.stringify(found) }]);
  return found;
}

/** Mines again if failures have grown by a tenth: fewer would change no condition. */
export async function refreshProposals(ctx: Omit<Context, "store">): Promise<void> {
  const kept = (await readCachedResults(ctx.db, "proposals", [KEY])).get(KEY);
  const now = await countFailuresToMine(ctx);
  const before = Number(kept?.version ?? 0);
  if (kept === undefined || now < before || now * 10 > before * 11) await cacheProposals(ctx);
}

async function countFailuresToMine({ db, config }: Pick<Context, "db" | "config">): Promise<number> {
  const groups = await listGroupsToMine(db, config.policy.distil.minCount, true);
  return groups.reduce((sum, group) => sum + group.failed, 0);
}

async function mineProposals(ctx: Omit<Context, "store">): Promise<readonly FailureProposal[]> {
  const { proposals } = await runMiners(ctx, { only: ["failures"] });
  return proposals.flatMap(({ signature, scope, matcher, evidence, text, level, backtest }) => {
    if (signature === null || matcher === null) return [];
    const errors = [...new Set(evidence.refs.flatMap(({ excerpt }) => excerpt ?? []))].slice(-5);
    return [{ signature, scope, matcher, errors, text, level, backtest }];
  });
}
