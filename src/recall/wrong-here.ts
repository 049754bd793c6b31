import type { ActiveRule } from "../domain/rule/rule.ts";
import { type CountingContext, wrongAmong } from "./calls/wrong-rules.ts";

/** Rules in force that are wrong more often than right, each under a name that changes with every answer of its owner. */
export async function wrongHere(
  ctx: CountingContext,
  rules: readonly ActiveRule[],
): Promise<ReadonlyMap<string, ActiveRule>> {
  const wrong = await wrongAmong(ctx, rules);
  return new Map(wrong.map(({ rule, answered }) => [`wrong ${rule.id} ${answered}`, rule]));
}
