import type { ActiveRule } from "../domain/rule/rule.ts";
import { type CountingContext, wrongAmong } from "./calls/wrong-rules.ts";

/**
 * Rules in force that are wrong more often than right. The key changes with each decision of the owner, so
 * that the rule is reported again.
 */
export async function wrongHere(
  ctx: CountingContext,
  rules: readonly ActiveRule[],
): Promise<ReadonlyMap<string, ActiveRule>> {
  const wrong = await wrongAmong(ctx, rules);
  return new Map(wrong.map(({ rule, answered }) => [`wrong ${rule.id} ${answered}`, rule]));
}
