import type { Context } from "../../context.ts";
import { readAdvice } from "../../domain/remedy/advised-call.ts";
import { explainAdviceFailures } from "../../domain/remedy/advice-record.ts";
import { rebaseRule } from "../../domain/rule/decisions.ts";
import { matcherHeads } from "../../domain/rule/matching/matcher.ts";
import { type AdviceFailures, isActiveOrMuted, type Matcher, type Rule } from "../../domain/rule/rule.ts";
import { makeCallGroup } from "../../domain/shell/step.ts";
import type { Db } from "../../store/engine/db.ts";
import { applyAllChanges, listChangesOf, makeProvenance, planChange } from "../../store/journal/journal.ts";
import { isReworded } from "../../domain/rule/by-law.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";
import { readCachedResults, writeCachedResults } from "../../store/state/result-cache.ts";
import { markGroupsUnmined, readGroupStamps } from "../../store/derived/tries.ts";
import { listAdvisedGroups, readAdviceFailures } from "./advice-results.ts";

/**
 * Marks mined rules whose advised call fails as often as it helps, and clears the mark when it helps again. No agent
 * reads a marked rule; the miners look for newer advice. Only rules with new calls are examined.
 */
export async function reviewAdvice(ctx: Pick<Context, "db" | "clock" | "actor">): Promise<void> {
  const { db } = ctx;
  const stamps = await readGroupStamps(db);
  const kept = await readCachedResults(db, "advice");
  for (const rule of await listRules(db)) {
    const { matcher } = rule;
    const advice = matcher === null || !isMined(rule) ? null : readAdvice(rule.text);
    if (matcher === null || advice === null) continue;
    const groups = listAdvisedGroups(advice, matcher);
    const version = `${rule.text} ${groups.map((group) => stamps.get(group) ?? "").join(" ")}`;
    if (kept.get(rule.id)?.version === version) continue;
    if (!isReworded(await listChangesOf(db, ruleNoun, rule.id)))
      await markRule(ctx, { ...rule, matcher }, await readAdviceFailures(db, advice, { ...rule, matcher }));
    await writeCachedResults(db, "advice", [{ key: rule.id, version, value: "" }]);
  }
}

function isMined(rule: Rule): boolean {
  return rule.origin === "tool" && isActiveOrMuted(rule) && !rule.pinned && rule.matcher?.tool === "shell";
}

async function markRule(
  ctx: Pick<Context, "db" | "clock" | "actor">,
  rule: Rule & { readonly matcher: Matcher },
  fails: AdviceFailures | null,
): Promise<void> {
  const { adviceFails: before, ...evidence } = rule.evidence;
  if ((before === undefined) === (fails === null)) return;
  const after = { ...rule, evidence: fails === null ? evidence : { ...evidence, adviceFails: fails } };
  const reason = fails === null ? "the call that it advises works again" : explainAdviceFailures(fails);
  const because = makeProvenance(ctx, "distil", reason);
  await ctx.db.tx(async (tx: Db) => {
    await applyAllChanges(tx, [
      planChange(ruleNoun, rule.id, because, (now) => now && rebaseRule(now, { before: rule, after })),
    ]);
    await markGroupsUnmined(
      tx,
      matcherHeads(rule.matcher).map((head) => makeCallGroup("bash", head)),
    );
  });
}
