import type { Context } from "../../context.ts";
import type { ActiveRule } from "../../domain/rule/rule.ts";
import { dropOutdatedRules, type SayingPlace } from "./outdated-rules.ts";

/** Drops rules that the disk or their calls disprove. All code that shows rules uses this. */
export async function keepTrueRules<T extends ActiveRule>(
  ctx: Pick<Context, "db" | "clock" | "config">,
  rules: readonly T[],
  place: SayingPlace,
): Promise<readonly T[]> {
  const isApprovedMined = ({ status, origin }: ActiveRule) => status === "approved" && origin === "tool";
  const right = rules.some(isApprovedMined)
    ? await (await import("./wrong-silence.ts")).dropWrongRules(ctx, rules)
    : rules;
  return dropOutdatedRules(ctx.db, right, place);
}
