import type { RuleInPlay } from "../domain/rule/rule.ts";
import { type CountingContext, wrongAmong } from "./wrong-rules.ts";

/** Rules in force that are wrong more often than right, each under a name that changes with every answer of its owner. */
export async function wrongHere(
  ctx: CountingContext,
  rules: readonly RuleInPlay[],
): Promise<ReadonlyMap<string, RuleInPlay>> {
  const wrong = await wrongAmong(ctx, rules);
  return new Map(wrong.map(({ rule, answered }) => [`wrong ${rule.id} ${answered}`, rule]));
}
