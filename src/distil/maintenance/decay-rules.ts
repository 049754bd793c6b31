import type { Context } from "../../context.ts";
import { decayRule, reviveRule } from "../../domain/rule/lifecycle/decay.ts";
import { parseActor, isOwner } from "../../domain/actor.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { DAY } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { getLastEventTime } from "../../store/events/events.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { readMeta } from "../../store/state/meta.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";
import { readRuleTotals } from "../../store/shown/rule-sessions.ts";
import { readLastShownTimes } from "../../store/shown/shown.ts";
import { isByLaw } from "../../domain/rule/by-law.ts";
import type { RuleStep } from "./maintenance.ts";
import { roundConfidence } from "./promote-rules.ts";
import { planVersionSteps } from "./rule-release-steps.ts";

/** Rules whose situation no longer occurs lose confidence, become dormant, then retired; if it recurs, they revive. */
export async function planDecay(ctx: Pick<Context, "db" | "clock" | "config">): Promise<readonly RuleStep[]> {
  const { db } = ctx;
  const policy = ctx.config.policy.distil;
  // Weeks without any recorded event do not age a rule.
  const now = await getLastEventTime(db, ctx.clock.now());
  const swept = Number((await readMeta(db, "swept")) ?? 0);
  const [totals, shown] = [await readRuleTotals(db), await readLastShownTimes(db)];
  const asleepForHarm = await listHarmful(db);
  const rules = await listRules(db);
  const settled = await readSettled(db, rules);
  const byTime = rules.flatMap((rule): RuleStep[] => {
    const counts = totals.get(rule.id);
    const { at: settledLast = 0, isOwners = false } = settled.get(rule.id) ?? {};
    const lastSeen = Math.max(rule.evidence.last, counts?.last ?? 0, shown.get(rule.id) ?? 0, settledLast);
    const isBack = isOwners || now - lastSeen < policy.dormantDays * DAY;
    const woken = isBack && !asleepForHarm.has(rule.id) ? reviveRule({ ...rule, isOwners }, policy) : null;
    if (woken !== null)
      return [{ step: "revive", before: rule, after: { ...rule, status: woken.status }, reason: woken.reason }];
    const observations = Math.max(rule.evidence.observations, counts?.failed ?? 0);
    const found = decayRule(
      { ...rule, observations, lastSeen, isOwners },
      { now, sweptAt: swept === 0 ? null : Math.min(swept, now) },
      policy,
    );
    if (found.kind === "unchanged") return [];
    const after = { ...rule, status: found.status, confidence: roundConfidence(found.confidence) };
    return after.status === rule.status && after.confidence === rule.confidence
      ? []
      : [{ step: "decay", before: rule, after, reason: found.reason }];
  });
  const changed = new Map(byTime.map((one) => [one.after.id, one.after]));
  return [
    ...byTime,
    ...(await planVersionSteps(
      ctx,
      rules.map((rule) => changed.get(rule.id) ?? rule),
    )),
  ];
}

interface Settled {
  /**
   * When a person last decided on it, or when it was created if it has no observations. A rule that
   * maintenance creates today from year-old events counts as old.
   */
  readonly at: number;
  /** The owner wrote the rule, or decided on it and it asks or denies. */
  readonly isOwners: boolean;
}

async function readSettled(db: Db, rules: readonly Rule[]): Promise<ReadonlyMap<string, Settled>> {
  const found = new Map<string, Settled>();
  for (const rule of rules) {
    const decided = (await listChangesOf(db, ruleNoun, rule.id)).findLast(
      (change) => isOwner(parseActor(change.actor)) && !isByLaw(change),
    );
    const stops = rule.level === "ask" || rule.level === "deny";
    found.set(rule.id, {
      at: Math.max(decided?.at ?? 0, rule.evidence.observations === 0 ? rule.createdAt : 0),
      isOwners: rule.origin === "owner" || (decided !== undefined && stops),
    });
  }
  return found;
}

/** Rules that are dormant because they did harm; they do not revive when their situation recurs. */
async function listHarmful(db: Db): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const rule of await listRules(db)) {
    if (rule.status !== "dormant") continue;
    const slept = (await listChangesOf(db, ruleNoun, rule.id)).findLast(({ before }) => before?.status !== "dormant");
    if (slept?.cause.id === "prove") found.add(rule.id);
  }
  return found;
}
