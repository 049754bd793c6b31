import type { Context } from "../../context.ts";
import { rebaseRule } from "../../domain/rule/decisions.ts";
import { recountRule, type RecountResult } from "../../domain/rule/lifecycle/recount.ts";
import { type Rule, isActiveOrMuted } from "../../domain/rule/rule.ts";
import { DAY } from "../../lib/clock.ts";
import { makeProvenance, applyAllChanges, listChangesOf, planChange } from "../../store/journal/journal.ts";
import { writeCachedResults, readCachedResults } from "../../store/state/result-cache.ts";
import { readNewestEventTimes } from "../../store/events/newest-event-times.ts";
import { readCountVersions, tallyCallsSince } from "../../store/shown/rule-sessions.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";
import { isByLaw, isReworded } from "../../domain/rule/by-law.ts";

/** Updates the sentences and levels of mined rules with calls that worked. Skips rules with unchanged counts. */
export async function recountRules(ctx: Pick<Context, "db" | "clock" | "config" | "actor">): Promise<void> {
  const { db } = ctx;
  const versions = await readCountVersions(db);
  const kept = await readCachedResults(db, "recount");
  const due = (await listRules(db)).filter(
    (rule) => isMined(rule) && versions.has(rule.id) && kept.get(rule.id)?.version !== versions.get(rule.id),
  );
  if (due.length === 0) return;
  const since = await makeWindowStart(ctx);
  for (const rule of due) {
    const found = await recounted(ctx, rule, since(rule));
    if (found !== null) {
      const step = { before: rule, after: found.after };
      const because = makeProvenance(ctx, "distil", found.reason);
      await applyAllChanges(db, [planChange(ruleNoun, rule.id, because, (now) => now && rebaseRule(now, step))]);
    }
    await writeCachedResults(db, "recount", [{ key: rule.id, version: versions.get(rule.id) ?? "", value: "" }]);
  }
}

/** A rule in doubt is left out: its numbers are from an older host version. */
function isMined(rule: Rule): boolean {
  return rule.origin === "tool" && isActiveOrMuted(rule) && !rule.pinned && rule.doubt === undefined;
}

/** The start of the mining window: calls that worked before it do not count against a rule. */
async function makeWindowStart({
  db,
  clock,
  config,
}: Pick<Context, "db" | "clock" | "config">): Promise<(rule: Rule) => number> {
  const [now, days] = [clock.now(), config.policy.distil.mineDays * DAY];
  const newest = await readNewestEventTimes(db);
  return ({ scope }) => Math.min(scope.kind === "global" ? now : (newest.get(scope.workspace) ?? now), now) - days;
}

async function recounted(
  { db, config }: Pick<Context, "db" | "config">,
  rule: Rule,
  since: number,
): Promise<RecountResult | null> {
  const changes = await listChangesOf(db, ruleNoun, rule.id);
  if (isReworded(changes)) return null;
  const isDecided = changes.some((change) => !isByLaw(change));
  return recountRule(rule, await tallyCallsSince(db, rule, since), { isDecided }, config.policy.distil);
}
