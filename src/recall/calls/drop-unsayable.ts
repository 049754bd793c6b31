import { findWithheldReason } from "../../domain/remedy/stored-rule.ts";
import { isByLaw } from "../../domain/rule/by-law.ts";
import { isRiskAccepted, isUnsayable } from "../../domain/rule/matching/unsayable.ts";
import type { ActiveRule, Rule } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { readAcceptedRisks } from "../../store/nouns/accepted-risks.ts";
import { getRule, ruleNoun } from "../../store/nouns/rules.ts";

/** Drops rules that no agent may read: the law about remedies withholds their advice, and no person approved it. */
export async function dropUnsayableRules<T extends ActiveRule>(db: Db, rules: readonly T[]): Promise<readonly T[]> {
  const accepted = rules.some(isUnsayable) ? await readAcceptedRisks(db) : new Map<string, string>();
  const kept: T[] = [];
  for (const rule of rules) {
    if (isUnsayable(rule) && !isRiskAccepted(rule, accepted)) continue;
    if (!mayAdvise.test(rule.text) || (await findWithheld(db, rule)) === null) kept.push(rule);
  }
  return kept;
}

/** Sentences of miners that say what to add or to run. */
const mayAdvise =
  /^(?:Use|Run|Set|Narrow|Do not try|Do not use `-|Leave out `-|Free the port|Mind|Watch out for)|without `-/;

/** Why the law withholds a rule's advice; null if it does not, or a person has approved the rule. */
export async function findWithheld(db: Db, { id, origin }: Pick<ActiveRule, "id" | "origin">): Promise<string | null> {
  const rule = origin === "tool" || origin === "agent" ? await getRule(db, id) : null;
  const reason = rule === null ? null : findWithheldReason(rule);
  return reason === null || rule === null || (await isApprovedByPerson(db, rule)) ? null : reason;
}

async function isApprovedByPerson(db: Db, { id, status }: Rule): Promise<boolean> {
  if (status !== "approved") return false;
  const changes = await listChangesOf(db, ruleNoun, id);
  return changes.some((change) => change.after?.status === "approved" && !isByLaw(change));
}
