import { isRiskAccepted, isUnsayable } from "../../domain/rule/matching/unsayable.ts";
import type { ActiveRule } from "../../domain/rule/rule.ts";
import type { Db } from "../../store/engine/db.ts";
import { readAcceptedRisks } from "../../store/nouns/accepted-risks.ts";

/** Drops rules that no agent may read, except approved ones whose risk the owner accepted. */
export async function dropUnsayableRules<T extends ActiveRule>(db: Db, rules: readonly T[]): Promise<readonly T[]> {
  if (!rules.some(isUnsayable)) return rules;
  const accepted = await readAcceptedRisks(db);
  return rules.filter((rule) => !isUnsayable(rule) || isRiskAccepted(rule, accepted));
}
