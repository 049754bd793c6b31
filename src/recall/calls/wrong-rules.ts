import type { Context } from "../../context.ts";
import { effectiveChanges } from "../../domain/journal.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import { isByLaw } from "../../domain/rule/by-law.ts";
import { isMostlyWrong } from "../../domain/rule/delivery/mostly-wrong.ts";
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
  /** When the owner last confirmed the rule or decided on it. */
  readonly answered: number;
}

export type CountingContext = Pick<Context, "db" | "clock" | "config">;

/** Approved rules that their counted calls contradict. Maintenance does not undo an approval, so the owner is asked. */
export async function wrongRules(ctx: CountingContext): Promise<readonly WrongRule[]> {
  return wrongAmong(ctx, await listRules(ctx.db));
}

/** Like `wrongRules`, for the given rules. */
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

/** Rules from a user's wishes are left out: what somebody does not want may still work. */
function isOfFailures(rule: ActiveRule): boolean {
  return (
    rule.status === "approved" &&
    rule.origin === "tool" &&
    rule.matcher !== null &&
    isSpeaking(rule) &&
    !isFromUserWords(rule)
  );
}

/** A decision that was undone is no answer, and neither is its undo: the question stands as before. */
async function decidedAt(db: Db, { id }: Pick<Rule, "id">): Promise<number> {
  const changes = effectiveChanges(await listChangesOf(db, "rule", id));
  return changes.findLast((change) => !isByLaw(change))?.at ?? 0;
}
