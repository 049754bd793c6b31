import type { Context } from "../context.ts";
import { isSomebodysWord } from "../domain/rule/backing.ts";
import { isMostlyWrong } from "../domain/rule/mostly-wrong.ts";
import type { Tally } from "../domain/rule/promote.ts";
import { type Rule, speaks } from "../domain/rule/rule.ts";
import { DAY } from "../lib/clock.ts";
import { oneLine, plural } from "../lib/text.ts";
import type { Db } from "../store/engine/db.ts";
import { changesOf } from "../store/journal.ts";
import { keptRules } from "../store/kept-rules.ts";
import { tallySince } from "../store/rule-sessions.ts";
import { listRules, ruleNoun } from "../store/rules.ts";
import { isByLaw } from "./by-law.ts";

export interface WrongRule {
  readonly rule: Rule;
  readonly failed: number;
  readonly calls: number;
}

/** Rules in force that their calls contradict by now, as far as they are counted. Their owner approved them, so no law takes them back: the owner is asked. */
export async function wrongRules(ctx: Pick<Context, "db" | "clock" | "config">): Promise<readonly WrongRule[]> {
  const since = ctx.clock.now() - ctx.config.policy.distil.mineDays * DAY;
  const kept = await keptRules(ctx.db);
  const wrong: WrongRule[] = [];
  for (const rule of (await listRules(ctx.db)).filter(isOfFailures)) {
    const tally = await tallySince(ctx.db, rule, since);
    if (!isMostlyWrong(tally, null)) continue;
    const answered = Math.max(kept.get(rule.id) ?? 0, await decidedAt(ctx.db, rule));
    const then: Tally = await tallySince(ctx.db, rule, since, answered);
    if (isMostlyWrong(tally, then)) wrong.push({ rule, failed: tally.hits, calls: tally.hits + tally.falseAlarms });
  }
  return wrong;
}

/** What somebody wants or does not want may work all the same. */
function isOfFailures(rule: Rule): boolean {
  return (
    rule.status === "approved" &&
    rule.origin === "tool" &&
    rule.matcher !== null &&
    speaks(rule) &&
    !isSomebodysWord(rule)
  );
}

async function decidedAt(db: Db, { id }: Rule): Promise<number> {
  return (await changesOf(db, ruleNoun, id)).findLast((change) => !isByLaw(change))?.at ?? 0;
}

export function wrongLines(wrong: readonly { readonly text: string }[]): readonly string[] {
  const [first] = wrong;
  if (first === undefined) return [];
  const more = wrong.length === 1 ? "" : ` · and ${wrong.length - 1} more`;
  return [
    `${plural(wrong.length, "rule")} in force ${wrong.length === 1 ? "is" : "are"} wrong more often than right: ${oneLine(first.text, 120).replace(/\.$/, "")}${more}; oldhand review`,
  ];
}
