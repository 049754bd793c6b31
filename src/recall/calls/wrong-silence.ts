import type { Context } from "../../context.ts";
import { isMostlyWrong } from "../../domain/rule/delivery/mostly-wrong.ts";
import type { ActiveRule } from "../../domain/rule/rule.ts";
import { DAY } from "../../lib/clock.ts";
import { tallyCallsSince } from "../../store/shown/rule-sessions.ts";

/**
 * Drops approved rules whose calls work more often than they fail, until the owner decides. Rules at `ask` or
 * `deny` stay, because the owner chose that a person decides.
 */
export async function dropWrongRules<T extends ActiveRule>(
  ctx: Pick<Context, "db" | "clock" | "config">,
  rules: readonly T[],
): Promise<readonly T[]> {
  const since = ctx.clock.now() - ctx.config.policy.distil.mineDays * DAY;
  const kept: T[] = [];
  for (const rule of rules) if (!mayBeWrong(rule) || !(await isWrong(ctx, rule, since))) kept.push(rule);
  return kept;
}

function mayBeWrong({ status, origin, matcher, level }: ActiveRule): boolean {
  return status === "approved" && origin === "tool" && matcher !== null && level !== "ask" && level !== "deny";
}

async function isWrong(
  ctx: Pick<Context, "db" | "clock" | "config">,
  rule: ActiveRule,
  since: number,
): Promise<boolean> {
  if (!isMostlyWrong(await tallyCallsSince(ctx.db, rule, since), null)) return false;
  // Loaded only now, because it reads the journal for the owner's decision.
  return (await (await import("./wrong-rules.ts")).wrongAmong(ctx, [rule])).length > 0;
}
