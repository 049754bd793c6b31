import type { Context } from "../../context.ts";
import { computeLevelCeiling } from "../../domain/rule/promote.ts";
import type { Level, Matcher, Rule, Scope } from "../../domain/rule/rule.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import { cursors, readCursor } from "../../store/state/cursors.ts";
import { type RuleTotals, readRuleTotals, toBacktestTally } from "../../store/shown/rule-sessions.ts";
import { countNewTries } from "../counting/count-new-events.ts";
import { countRuleSessions, countRules, isCountable } from "../counting/count-rules.ts";
import type { Backtest } from "../mining/proposal.ts";

export interface Backtested extends Backtest {
  /** The strictest level this evidence allows without the owner, and why. */
  readonly ceiling: { readonly level: Level; readonly reason: string };
  /** Sessions with an opportunity, and those in which the matched call failed. */
  readonly sessions: { readonly met: number; readonly failed: number };
}

/** Backtests a rule on all recorded calls. If the rule is counted anyway, only new calls are replayed; else all. */
export async function backtest(
  ctx: Pick<Context, "db" | "config" | "clock" | "signal">,
  rule: Rule & { readonly matcher: Matcher },
): Promise<Backtested> {
  if (!isCountable(rule)) return replayed(ctx, rule);
  await countNewTries(ctx);
  await countRules(ctx, [rule]);
  const totals = (await readRuleTotals(ctx.db, rule.id)).get(rule.id) ?? nothing;
  return backtested(ctx, totals, { met: totals.met, failed: totals.sessions });
}

const nothing = { opportunities: 0, failed: 0, worked: 0, otherwise: 0, met: 0, sessions: 0 };

/** Replays a matcher, of a rule or a draft, over all recorded calls. */
export async function replayed(
  ctx: Pick<Context, "db" | "config" | "signal">,
  rule: { readonly matcher: Matcher; readonly scope: Scope },
): Promise<Backtested> {
  await countNewTries(ctx);
  const upTo = await readCursor(ctx.db, cursors.tried);
  const counts = await countRuleSessions(ctx.db, [{ ...rule, id: "" }], { from: 0, upTo });
  const sessions = counts.get("") ?? [];
  const sum = (of: (one: (typeof sessions)[number]) => number) => sessions.reduce((all, one) => all + of(one), 0);
  const totals = {
    opportunities: sum((one) => one.opportunities),
    failed: sum((one) => one.failed),
    worked: sum((one) => one.worked),
    otherwise: sum((one) => one.cost.failures - one.failed),
  };
  return backtested(ctx, totals, {
    met: sessions.length,
    failed: sessions.filter((one) => one.failed > 0).length,
  });
}

function backtested(
  ctx: Pick<Context, "config">,
  totals: Pick<RuleTotals, "opportunities" | "failed" | "worked" | "otherwise">,
  sessions: Backtested["sessions"],
): Backtested {
  const found = backtestOf(totals);
  return {
    ...found,
    ceiling: computeLevelCeiling(
      { hits: found.hits, falseAlarms: found.falseAlarms, sessions: sessions.failed },
      { ownerApproved: false, builtIn: false, hasMatcher: true },
      ctx.config.policy.distil,
    ),
    sessions,
  };
}

/** From existing counts. */
export function backtestOf(totals: Pick<RuleTotals, "opportunities" | "failed" | "worked" | "otherwise">): Backtest {
  const { hits, falseAlarms } = toBacktestTally({ ...totals, sessions: 0 });
  const fired = hits + falseAlarms;
  return {
    opportunities: totals.opportunities,
    fired,
    hits,
    falseAlarms,
    precision: fired === 0 ? 0 : hits / fired,
    lower: wilsonLower(hits, fired),
  };
}

export function hasMatcher(rule: Rule): rule is Rule & { readonly matcher: Matcher } {
  return rule.matcher !== null;
}
