import type { Context } from "../context.ts";
import { levels, type Level, type Rule } from "../domain/rule/rule.ts";
import { isSayable } from "../domain/trust/sayable.ts";
import { listRules } from "../store/rules.ts";
import { markHeld, ruleMarks } from "../store/rule-sessions.ts";
import { effects } from "./counted-rules.ts";
import { holdable, type RuleEffect } from "./effect.ts";
import type { RuleStep } from "./maintain.ts";

/** What does no good sinks by a level; what does harm sleeps at once, with the reason. What the owner wrote or pinned stays his. */
export async function proveSteps(ctx: Pick<Context, "db" | "clock" | "config">): Promise<readonly RuleStep[]> {
  const rules = (await listRules(ctx.db)).filter(isSpeaking);
  return (await effects(ctx, rules)).flatMap(stepFor);
}

/** From here on some sessions do without the rule. Once begun it goes on, as far as the rule's level lets it. */
export async function drawLots(ctx: Pick<Context, "db" | "clock" | "config">): Promise<void> {
  const marks = await ruleMarks(ctx.db);
  for (const rule of (await listRules(ctx.db)).filter(isSpeaking)) {
    const mark = marks.get(rule.id);
    if (mark === undefined) continue;
    const may = holdable(rule, mark, ctx.config.policy.distil);
    if (may && mark.heldSince === null) await markHeld(ctx.db, rule.id, ctx.clock.now());
  }
}

function isSpeaking(rule: Rule): boolean {
  return isSayable(rule) && rule.matcher !== null;
}

function stepFor({ rule, verdict, reason }: RuleEffect): readonly RuleStep[] {
  if (rule.pinned || rule.origin === "owner") return [];
  if (verdict === "harmful")
    return [{ step: "prove", before: rule, after: { ...rule, status: "dormant" }, reason: `harmful: ${reason}` }];
  if (verdict !== "no effect") return [];
  return [
    { step: "prove", before: rule, after: { ...rule, level: below(rule.level) }, reason: `no effect: ${reason}` },
  ];
}

function below(level: Level): Level {
  return levels[Math.max(0, levels.indexOf(level) - 1)] ?? "watch";
}
