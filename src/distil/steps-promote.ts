import type { Context } from "../context.ts";
import { mergedInto } from "../domain/rule/decisions.ts";
import { isSomebodysWord } from "../domain/rule/backing.ts";
import { ceilingOf, mergedEvidence, merges, promote, softer } from "../domain/rule/promote.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { wilsonLower } from "../domain/proof/wilson.ts";
import { stableJson } from "../lib/json.ts";
import type { Db } from "../store/engine/db.ts";
import { changesOf } from "../store/journal.ts";
import { reinforcementsOf } from "../store/reinforced.ts";
import { listRules, ruleNoun } from "../store/rules.ts";
import { ruleSessions, type RuleTotals, ruleTotals } from "../store/rule-sessions.ts";
import type { RuleStep } from "./maintain.ts";

/** Candidates that have earned it are approved; rules about the same thing become one. */
export async function promoteSteps(ctx: Pick<Context, "db" | "clock" | "config">): Promise<readonly RuleStep[]> {
  const rules = await listRules(ctx.db);
  const totals = await ruleTotals(ctx.db);
  const merged = mergeSteps(rules);
  const gone = new Set(merged.filter((one) => one.after.status === "merged").map((one) => one.after.id));
  const promoted: RuleStep[] = [];
  for (const rule of rules) {
    // In doubt its numbers are those of a host that is no more: it waits for fresh ones.
    if (rule.status !== "candidate" || rule.matcher === null || rule.doubt !== undefined || gone.has(rule.id)) continue;
    const step = await promotion(ctx, rule, totals.get(rule.id) ?? null);
    if (step !== null) promoted.push(step);
  }
  return [...merged, ...promoted];
}

async function promotion(
  ctx: Pick<Context, "db" | "clock" | "config">,
  rule: Rule,
  totals: RuleTotals | null,
): Promise<RuleStep | null> {
  const policy = ctx.config.policy.distil;
  const hits = totals?.failed ?? 0;
  const alarms = totals?.worked ?? 0;
  // Most candidates lack these; then nothing more need be read.
  if (hits < policy.promoteObservations || (totals?.sessions ?? 0) < policy.promoteSessions) return null;
  const broken = (await reinforcementsOf(ctx.db, rule.id)).filter((one) => one.broken);
  const found = promote(
    {
      status: rule.status,
      origin: rule.origin,
      confidence: wilsonLower(hits, hits + alarms),
      observations: hits,
      sessions: totals?.sessions ?? 0,
      isSomebodysWord: isSomebodysWord(rule),
      ...(await spanOf(ctx, rule)),
      proposedAt: await proposedAt(ctx.db, rule),
      lastContradicted: broken.at(-1)?.at ?? null,
    },
    policy,
    ctx.clock.now(),
  );
  if (found.kind === "waiting") return null;
  const ceiling = ceilingOf(
    { hits, falseAlarms: alarms, sessions: totals?.sessions ?? 0 },
    { ownerApproved: false, builtIn: false, hasMatcher: rule.matcher !== null },
    policy,
  );
  return {
    step: "promote",
    before: rule,
    // Alone, statistics go as far as a nudge: more comes of being broken, or of the owner.
    after: {
      ...rule,
      status: "approved",
      confidence: rounded(found.confidence),
      level: softer(ceiling.level, "nudge"),
    },
    reason: found.reason,
  };
}

/** From the first to the last observation, by when they happened. What a wrong clock dated ahead does not count. */
async function spanOf(
  { db, clock }: Pick<Context, "db" | "clock">,
  rule: Rule,
): Promise<{ readonly firstSeen: number; readonly lastSeen: number }> {
  const now = clock.now();
  const seen = (await ruleSessions(db, rule.id)).filter(({ failed, at }) => failed > 0 && at <= now);
  const times = [rule.evidence.first, rule.evidence.last, ...seen.map(({ at }) => at)].filter(
    (at) => at > 0 && at <= now,
  );
  return {
    firstSeen: times.reduce((a, b) => Math.min(a, b), now),
    lastSeen: times.reduce((a, b) => Math.max(a, b), 0),
  };
}

/** When it came to speak against what it speaks against now. */
async function proposedAt(db: Db, rule: Rule): Promise<number> {
  const other = (a: Rule | null, b: Rule | null) => stableJson(a?.matcher ?? null) !== stableJson(b?.matcher ?? null);
  const made = (await changesOf(db, ruleNoun, rule.id)).findLast(({ before, after }) => other(before, after));
  return Math.max(rule.createdAt, made?.at ?? 0);
}

function mergeSteps(rules: readonly Rule[]): readonly RuleStep[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const twins = merges(rules.map((rule) => ({ ...rule, scope: JSON.stringify([rule.scope, rule.matcher]) })));
  return twins.flatMap(({ into, from }) => {
    const kept = byId.get(into.id);
    const gone = from.flatMap((one) => byId.get(one.id) ?? []);
    if (kept === undefined || gone.length === 0) return [];
    const evidence = gone.reduce((sum, one) => mergedEvidence(sum, one.evidence), kept.evidence);
    const after = { ...kept, evidence, confidence: Math.max(kept.confidence, ...gone.map((one) => one.confidence)) };
    return [
      {
        step: "merge" as const,
        before: kept,
        after,
        reason: `says the same as ${gone.map((one) => one.id).join(", ")}`,
      },
      ...gone.map((one) => ({
        step: "merge" as const,
        before: one,
        after: mergedInto(one, kept),
        reason: `says the same as ${kept.id}`,
      })),
    ];
  });
}

export function rounded(confidence: number): number {
  return Number(confidence.toFixed(4));
}
