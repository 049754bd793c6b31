import type { Context } from "../../context.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import { isByLaw } from "../../domain/rule/by-law.ts";
import { isMostlyWrong } from "../../domain/rule/mostly-wrong.ts";
import { type Rule, type ActiveRule, isSpeaking } from "../../domain/rule/rule.ts";
import { DAY } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { readKeptRuleTimes } from "../../store/nouns/kept-rules.ts";
import { tallyCallsSince } from "../../store/shown/rule-sessions.ts";
import { listRules } from "../../store/nouns/rules.ts";

export interface WrongRule<T extends ActiveRule = Rule> {
  readonly rule: T;
  readonly failed: number;
  readonly calls: number;
  /** When its owner last answered to that, or decided on it at all. */
  readonly answered: number;
}

export type CountingContext = Pick<Context, "db" | "clock" | "config">;

/** Rules in force that their calls contradict by now, as far as they are counted. Their owner approved them, so no law takes them back: the owner is asked. */
export async function wrongRules(ctx: CountingContext): Promise<readonly WrongRule[]> {
  return wrongAmong(ctx, await listRules(ctx.db));
}

/** Those among these rules. */
export async function wrongAmong<T extends ActiveRule>(
  ctx: CountingContext,
  rules: readonly T[],
): Promise<readonly WrongRule<T>[]> {
  const since = ctx.clock.now() - ctx.config.policy.distil.mineDays * DAY;
  const wrong: WrongRule<T>[] = [];
  for (const rule of rules.filter(isOfFailures)) {
    const tally = await tallyCallsSince(ctx.db, rule, since);
    if (!isMostlyWrong(tally, null)) continue;
    const kept = await readKeptRuleTimes(ctx.db);
    const answered = Math.max(kept.get(rule.id) ?? 0, await decidedAt(ctx.db, rule));
    if (isMostlyWrong(tally, await tallyCallsSince(ctx.db, rule, since, answered)))
      wrong.push({ rule, failed: tally.hits, calls: tally.hits + tally.falseAlarms, answered });
  }
  return wrong;
}

/** What somebody wants or does not want may work all the same. */
function isOfFailures(rule: ActiveRule): boolean {
  return (
    rule.status === "approved" &&
    rule.origin === "tool" &&
    rule.matcher !== null &&
    isSpeaking(rule) &&
    !isFromUserWords(rule)
  );
}

async function decidedAt(db: Db, { id }: Pick<Rule, "id">): Promise<number> {
  return (await listChangesOf(db, "rule", id)).findLast((change) => !isByLaw(change))?.at ?? 0;
}
