import type { Context } from "../../context.ts";
import { levels, type Level, type Rule } from "../../domain/rule/rule.ts";
import { isShowable } from "../../domain/trust/showable.ts";
import { listRules } from "../../store/nouns/rules.ts";
import { startHoldout, readHoldoutStates } from "../../store/shown/rule-sessions.ts";
import { listRuleEffects } from "../counting/rule-counts.ts";
import { canHoldOut, type RuleEffect } from "../counting/effect.ts";
import type { RuleStep } from "./maintenance.ts";

/**
 * An ineffective rule loses one level; a harmful one is disabled at once, with the reason. Rules that the
 * owner wrote or pinned are not changed.
 */
export async function planProofSteps(ctx: Pick<Context, "db" | "clock" | "config">): Promise<readonly RuleStep[]> {
  const rules = (await listRules(ctx.db)).filter(isSpeaking);
  return (await listRuleEffects(ctx, rules)).flatMap(planStep);
}

/** Starts the holdout where allowed: some sessions are no longer shown the rule. Once started, it continues. */
export async function assignControlGroups(ctx: Pick<Context, "db" | "clock" | "config">): Promise<void> {
  const holdouts = await readHoldoutStates(ctx.db);
  for (const rule of (await listRules(ctx.db)).filter(isSpeaking)) {
    const holdout = holdouts.get(rule.id);
    if (holdout === undefined) continue;
    const may = canHoldOut(rule, holdout, ctx.config.policy.distil);
    if (may && holdout.heldSince === null) await startHoldout(ctx.db, rule.id, ctx.clock.now());
  }
}

function isSpeaking(rule: Rule): boolean {
  return isShowable(rule) && rule.matcher !== null;
}

function planStep({ rule, verdict, reason }: RuleEffect): readonly RuleStep[] {
  if (rule.pinned || rule.origin === "owner") return [];
  if (verdict === "harmful")
    return [{ step: "prove", before: rule, after: { ...rule, status: "dormant" }, reason: `harmful: ${reason}` }];
  if (verdict !== "no effect") return [];
  return [
    { step: "prove", before: rule, after: { ...rule, level: lowerLevel(rule.level) }, reason: `no effect: ${reason}` },
  ];
}

function lowerLevel(level: Level): Level {
  return levels[Math.max(0, levels.indexOf(level) - 1)] ?? "watch";
}
