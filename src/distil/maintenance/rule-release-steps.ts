import type { Context } from "../../context.ts";
import { adjustForVersion } from "../../domain/rule/host-version.ts";
import type { Doubt, Rule } from "../../domain/rule/rule.ts";
import { stableJson } from "../../lib/json.ts";
import type { Db } from "../../store/engine/db.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { ruleNoun } from "../../store/nouns/rules.ts";
import { listRecentVersions, listRuleVersions } from "../../store/shown/rule-versions.ts";
import type { RuleStep } from "./maintenance.ts";

/** Rules lose confidence when their hosts move to a release without evidence; evidence from it restores them. */
export async function planVersionSteps(
  ctx: Pick<Context, "db" | "config">,
  rules: readonly Rule[],
): Promise<readonly RuleStep[]> {
  const { db } = ctx;
  const policy = ctx.config.policy.distil;
  const ranges = await listRuleVersions(db, rules);
  const hosts = new Set([...ranges.values()].flat().map((range) => range.host));
  const recent = await listRecentVersions(db, [...hosts], policy.versionSessions);
  const steps: RuleStep[] = [];
  for (const rule of rules) {
    const shift = adjustForVersion(rule, { ranges: ranges.get(rule.id) ?? [], recent }, policy);
    if (shift === null || (shift.doubt !== null && (await wasDoubted(db, rule, shift.doubt)))) continue;
    const { doubt: _, ...plain } = rule;
    const { confidence, level, status, doubt, reason } = shift;
    const after = { ...plain, confidence, level, status, ...(doubt === null ? {} : { doubt }) };
    steps.push({ step: doubt === null ? "revive" : "decay", before: rule, after, reason });
  }
  return steps;
}

/** True if the rule was doubted for these releases before. If it no longer is, that was undone and stays undone. */
async function wasDoubted(db: Db, rule: Rule, { releases }: Doubt): Promise<boolean> {
  const key = stableJson(releases);
  return (await listChangesOf(db, ruleNoun, rule.id)).some(({ after }) => {
    const known = after?.doubt;
    return known !== undefined && stableJson(known.releases) === key;
  });
}
