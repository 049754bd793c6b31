import { findWithheldReason } from "../../domain/remedy/stored-rule.ts";
import { isUnsayable } from "../../domain/rule/matching/unsayable.ts";
import type { Context } from "../../context.ts";
import { markMergedInto } from "../../domain/rule/decisions.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import {
  computeLevelCeiling,
  mergeEvidence,
  findMerges,
  promoteCandidate,
  softerLevel,
} from "../../domain/rule/promote.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import { stableJson } from "../../lib/json.ts";
import type { Db } from "../../store/engine/db.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { listReinforcements } from "../../store/shown/reinforcements.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";
import { listRuleSessions, type RuleTotals, readRuleTotals, toBacktestTally } from "../../store/shown/rule-sessions.ts";
import type { RuleStep } from "./maintenance.ts";

/** Plans the approval of candidates with enough evidence, and the merging of duplicate rules. Writes nothing. */
export async function planPromotions(ctx: Pick<Context, "db" | "clock" | "config">): Promise<readonly RuleStep[]> {
  const rules = await listRules(ctx.db);
  const totals = await readRuleTotals(ctx.db);
  const merged = planMerges(rules);
  const gone = new Set(merged.filter((one) => one.after.status === "merged").map((one) => one.after.id));
  const promoted: RuleStep[] = [];
  for (const rule of rules) {
    // A rule in doubt has numbers from an older host version: it waits for new ones.
    if (rule.status !== "candidate" || rule.matcher === null || rule.doubt !== undefined || gone.has(rule.id)) continue;
    const step = await planPromotion(ctx, rule, totals.get(rule.id) ?? null);
    if (step !== null) promoted.push(step);
  }
  return [...merged, ...promoted];
}

async function planPromotion(
  ctx: Pick<Context, "db" | "clock" | "config">,
  rule: Rule,
  totals: RuleTotals | null,
): Promise<RuleStep | null> {
  const policy = ctx.config.policy.distil;
  if (totals === null) return null;
  const tally = toBacktestTally(totals);
  const { hits, falseAlarms, sessions } = tally;
  // Most candidates are below these thresholds; then nothing more is read.
  if (hits < policy.promoteObservations || sessions < policy.promoteSessions) return null;
  // Sessions that were shown the rule and made the call anyway.
  const violations = (await listReinforcements(ctx.db, rule.id)).filter((one) => one.broken);
  const verdict = promoteCandidate(
    {
      status: rule.status,
      origin: rule.origin,
      confidence: wilsonLower(hits, hits + falseAlarms),
      observations: hits,
      sessions,
      isFromUserWords: isFromUserWords(rule),
      ...(await findEvidenceSpan(ctx, rule)),
      proposedAt: await readProposalTime(ctx.db, rule),
      lastContradicted: violations.at(-1)?.at ?? null,
    },
    policy,
    ctx.clock.now(),
  );
  if (verdict.kind === "waiting" || isUnsayable(rule) || findWithheldReason(rule) !== null) return null;
  const ceiling = computeLevelCeiling(
    tally,
    { ownerApproved: false, builtIn: false, hasMatcher: rule.matcher !== null },
    policy,
  );
  return {
    step: "promote",
    before: rule,
    // Statistics alone never give more than `nudge`. Stricter levels need repeated violations, or the owner.
    after: {
      ...rule,
      status: "approved",
      confidence: roundConfidence(verdict.confidence),
      level: softerLevel(ceiling.level, "nudge"),
    },
    reason: verdict.reason,
  };
}

/** The times of the first and the last observation. Times in the future, from a wrong clock, are ignored. */
async function findEvidenceSpan(
  { db, clock }: Pick<Context, "db" | "clock">,
  rule: Rule,
): Promise<{ readonly firstSeen: number; readonly lastSeen: number }> {
  const now = clock.now();
  const seen = (await listRuleSessions(db, rule.id)).filter(({ failed, at }) => failed > 0 && at <= now);
  const times = [rule.evidence.first, rule.evidence.last, ...seen.map(({ at }) => at)].filter(
    (at) => at > 0 && at <= now,
  );
  return {
    firstSeen: times.reduce((a, b) => Math.min(a, b), now),
    lastSeen: times.reduce((a, b) => Math.max(a, b), 0),
  };
}

/** When the rule got its current matcher. */
async function readProposalTime(db: Db, rule: Rule): Promise<number> {
  const matcherDiffers = (a: Rule | null, b: Rule | null) =>
    stableJson(a?.matcher ?? null) !== stableJson(b?.matcher ?? null);
  const lastChange = (await listChangesOf(db, ruleNoun, rule.id)).findLast(({ before, after }) =>
    matcherDiffers(before, after),
  );
  return Math.max(rule.createdAt, lastChange?.at ?? 0);
}

function planMerges(rules: readonly Rule[]): readonly RuleStep[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  // `findMerges` compares scopes. The matcher is part of it here, so that only rules with the same matcher merge.
  const twins = findMerges(rules.map((rule) => ({ ...rule, scope: JSON.stringify([rule.scope, rule.matcher]) })));
  return twins.flatMap(({ into, from }) => {
    const kept = byId.get(into.id);
    const gone = from.flatMap((one) => byId.get(one.id) ?? []);
    if (kept === undefined || gone.length === 0) return [];
    const evidence = gone.reduce((sum, one) => mergeEvidence(sum, one.evidence), kept.evidence);
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
        after: markMergedInto(one, kept),
        reason: `says the same as ${kept.id}`,
      })),
    ];
  });
}

export function roundConfidence(confidence: number): number {
  return Number(confidence.toFixed(4));
}
