import type { Context } from "../context.ts";
import type { Level, Scope } from "../domain/rule/rule.ts";
import { isKeptInBackground } from "../store/background.ts";
import { keep, keptOf } from "../store/kept.ts";
import { cursors, readCursor } from "../store/cursors.ts";
import { groupsToMine, triesIn } from "../store/tries.ts";
import { LOOKED_AT } from "./mine-failures.ts";
import { mine } from "./mine.ts";
import type { Backtest } from "./proposal.ts";

/** A rule that would be proposed against a kind of failure. */
export interface FailureProposal {
  readonly signature: string;
  readonly scope: Scope;
  readonly text: string;
  readonly level: Level;
  readonly backtest: Backtest | null;
}

/** So many calls, or new events, are looked at while somebody waits. */
const AT_ONCE = 6_000;
const KEY = "failures by scope";

/**
 * What would be proposed now. In a small mind that is looked for each time; in a large one it is what was found when
 * somebody with time looked last: an import, `distil`, maintenance, a process that lives.
 */
export async function failureProposals(ctx: Omit<Context, "store">): Promise<readonly FailureProposal[]> {
  const { db } = ctx;
  const groups = await groupsToMine(db, ctx.config.policy.distil.minCount, true);
  const digested = await readCursor(db, cursors.digested);
  const behind = digested - (await readCursor(db, cursors.tried));
  if (Math.max(behind, triesIn(groups, LOOKED_AT)) <= AT_ONCE) return lookedFor(ctx);
  const kept = (await keptOf(db, "proposals", [KEY])).get(KEY);
  if (kept !== undefined) return JSON.parse(kept.value) as FailureProposal[];
  if (isKeptInBackground(db)) return [];
  ctx.report({ text: "looking for rules in what was observed" });
  return keepProposals(ctx);
}

/** Looks, and keeps what was found. */
async function keepProposals(ctx: Omit<Context, "store">): Promise<readonly FailureProposal[]> {
  const found = await lookedFor(ctx);
  const version = String(await failuresToMine(ctx));
  await keep(ctx.db, "proposals", [{ key: KEY, version, value: JSON.stringify(found) }]);
  return found;
}

/** Looks again where failures have grown by a tenth since the last look: fewer would change no condition. */
export async function renewProposals(ctx: Omit<Context, "store">): Promise<void> {
  const kept = (await keptOf(ctx.db, "proposals", [KEY])).get(KEY);
  const now = await failuresToMine(ctx);
  const before = Number(kept?.version ?? 0);
  if (kept === undefined || now < before || now * 10 > before * 11) await keepProposals(ctx);
}

async function failuresToMine({ db, config }: Pick<Context, "db" | "config">): Promise<number> {
  const groups = await groupsToMine(db, config.policy.distil.minCount, true);
  return groups.reduce((sum, group) => sum + group.failed, 0);
}

async function lookedFor(ctx: Omit<Context, "store">): Promise<readonly FailureProposal[]> {
  const { proposals } = await mine(ctx, { only: ["failures"] });
  return proposals.flatMap(({ signature, scope, text, level, backtest }) =>
    signature === null ? [] : [{ signature, scope, text, level, backtest }],
  );
}
