import type { Context } from "../../context.ts";
import type { Change } from "../../domain/journal.ts";
import { isInControlGroup, canBeginTrial } from "../../domain/rule/delivery/holdout.ts";
import { poolFamily } from "../../domain/proof/family.ts";
import { type Proof, type ProofSession, proveRule, type Verdict } from "../../domain/proof/proof.ts";
import { callsPerOpportunity, toOpportunities, showsOnlyByAttempts } from "../../domain/proof/exposure.ts";
import { isWish } from "../../domain/rule/backing.ts";
import { scopeCovers, type Rule } from "../../domain/rule/rule.ts";
import { isShowable } from "../../domain/trust/showable.ts";
import { groupBy } from "../../lib/group-by.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { countCallsOfSessions, listSessionSpans, type SessionSpan } from "../../store/sessions/sessions.ts";
import { ruleNoun } from "../../store/nouns/rules.ts";
import {
  type HoldoutState,
  readHoldoutStates,
  type RuleSession,
  listRuleSessions,
} from "../../store/shown/rule-sessions.ts";

/** A rule's effect: mistakes per opportunity before it and with it, and the verdict. */
export interface RuleEffect {
  readonly rule: Rule;
  readonly since: number;
  /** One session in this many is not shown the rule. Null if before and after are compared instead. */
  readonly oneIn: number | null;
  /** Set if only the mistake itself shows an opportunity: this many calls of a session then count as one. */
  readonly callsPerOpportunity: number | null;
  readonly proof: Proof;
  /** The rule's own verdict, or its family's if the rule is too rare to be judged alone. The only one to display. */
  readonly verdict: Verdict;
  readonly byFamily: boolean;
  readonly reason: string;
}

/** Judged by the rule's own sessions only, without its family. */
export type RuleOwnEffect = Omit<RuleEffect, "rule" | "verdict" | "byFamily" | "reason">;

/** Null for a rule that never spoke or has no matcher. Reads all its sessions. */
export async function computeOwnEffect(ctx: Pick<Context, "db" | "config">, rule: Rule): Promise<RuleOwnEffect | null> {
  const { db } = ctx;
  const policy = ctx.config.policy.distil;
  const periods = rule.matcher === null ? [] : listActivePeriods(await listChangesOf(db, ruleNoun, rule.id));
  const [first] = periods;
  if (first === undefined) return null;
  const { met, perOpportunity } = await listComparableSessions(
    db,
    rule,
    first.from,
    await listRuleSessions(db, rule.id),
  );
  const holdout = (await readHoldoutStates(db, rule.id)).get(rule.id) ?? { recent: 0, heldSince: null };
  const atRandom = met.flatMap((one) => assignArmByHoldout({ rule, periods, mark: holdout }, policy, one));
  const heldOutOpportunities = atRandom
    .filter((one) => one.arm === "held-out")
    .reduce((sum, one) => sum + one.opportunities, 0);
  const oneIn = heldOutOpportunities >= MIN_HOLDOUT_OPPORTUNITIES ? policy.holdOutOneIn : null;
  const arms = oneIn === null ? met.flatMap((one) => assignArmByTime(periods, one)) : atRandom;
  return { since: first.from, oneIn, callsPerOpportunity: perOpportunity, proof: proveRule(arms, { oneIn }, policy) };
}

/** Judges each rule together with its family. */
export function poolEffects(
  alone: readonly (RuleOwnEffect & { readonly rule: Rule })[],
  policy: Context["config"]["policy"]["distil"],
): readonly RuleEffect[] {
  // A merged rule is counted with the rule it was merged into. It gets its own verdict, so that no session
  // counts twice.
  const families = groupBy(alone, ({ rule }) => (rule.status === "merged" ? `merged ${rule.id}` : getRuleFamily(rule)));
  return [...families.values()].flatMap((family) => {
    const pooled =
      family.length === 1
        ? null
        : poolFamily(
            family.map(({ rule, proof }) => ({ id: rule.id, proof })),
            policy,
          );
    return family.map((one) => {
      const member = pooled?.members.find((other) => other.id === one.rule.id);
      const byFamily = member?.byFamily === true;
      return {
        ...one,
        verdict: byFamily ? member.verdict : one.proof.verdict,
        byFamily,
        reason: `${byFamily ? (pooled?.reason ?? one.proof.reason) : one.proof.reason}${describeMeasure(one.callsPerOpportunity)}`,
      };
    });
  });
}

/** Of each session, its calls; of those before the latest, an estimate by all that happened in them. */
async function countCalls(db: Context["db"], spans: readonly SessionSpan[]): Promise<(span: SessionSpan) => number> {
  const latest = spans.slice(-MOST_COUNTED);
  const counted = await countCallsOfSessions(db, latest);
  const exact = (one: SessionSpan) => counted.get(`${one.host} ${one.id}`) ?? 0;
  const calls = latest.reduce((sum, one) => sum + exact(one), 0);
  const events = latest.reduce((sum, one) => sum + one.events, 0);
  const known = new Set(latest);
  return (one) => (known.has(one) ? exact(one) : (one.events * calls) / Math.max(1, events));
}

const MOST_COUNTED = 1_000;

type Comparable = Pick<RuleSession, "session" | "at" | "opportunities" | "attempts">;

/**
 * The sessions to compare. If only the mistake itself shows an opportunity, these are all sessions since the
 * first mistake, in the workspaces where it was made; opportunities are then estimated from the number of
 * calls.
 */
async function listComparableSessions(
  db: Context["db"],
  rule: Rule,
  since: number,
  met: readonly RuleSession[],
): Promise<{ readonly met: readonly Comparable[]; readonly perOpportunity: number | null }> {
  const sum = (of: "opportunities" | "attempts") => met.reduce((total, one) => total + one[of], 0);
  if (!showsOnlyByAttempts({ opportunities: sum("opportunities"), attempts: sum("attempts") }))
    return {
      met: met.map((one) => ({
        ...one,
        opportunities: one.chances ?? one.opportunities,
        attempts: one.mistakes ?? countMistakes(rule, one),
      })),
      perOpportunity: null,
    };
  const attempts = new Map(met.map((one) => [`${one.host} ${one.session}`, countMistakes(rule, one)]));
  const all = (await listSessionSpans(db)).filter((one) => scopeCovers(rule.scope, one.workspace));
  const made = (one: SessionSpan) => attempts.get(`${one.host} ${one.id}`) ?? 0;
  const places = new Set(all.filter((one) => made(one) > 0).map((one) => one.workspace));
  const begin = all.find((one) => made(one) > 0)?.startedAt ?? Infinity;
  const compared = all.filter((one) => places.has(one.workspace) && one.startedAt >= begin);
  const callsOf = await countCalls(db, compared);
  const spans = compared.map((one) => ({
    session: one.id,
    at: one.startedAt,
    calls: callsOf(one),
    attempts: made(one),
  }));
  const before = spans.filter((one) => one.at < since);
  const perOpportunity = callsPerOpportunity(before.length > 0 ? before : spans);
  return {
    met: spans.map((one) => ({ session: one.session, at: one.at, ...toOpportunities(one, perOpportunity) })),
    perOpportunity,
  };
}

/**
 * All mistakes of a session, retries too: calls that the rule warns against, without those that worked. A rule in its
 * owner's or a user's words is broken by every such call.
 */
function countMistakes(
  rule: Pick<Rule, "origin" | "signature">,
  one: Pick<RuleSession, "attempts" | "worked">,
): number {
  return isWish(rule) ? one.attempts : Math.max(0, one.attempts - one.worked);
}

function describeMeasure(perOpportunity: number | null): string {
  if (perOpportunity === null) return "";
  const calls = Math.round(perOpportunity);
  return calls <= 1 ? "" : `; one chance is counted for every ${calls} calls of a session`;
}

/** Rules of one family have the same tool or program. */
export function getRuleFamily(rule: Rule): string {
  const tool = rule.matcher?.tool ?? "";
  const program = rule.matcher?.head?.split(" ", 1)[0] ?? "";
  return tool === "shell" ? `shell ${program}` : tool;
}

/** A period in which the rule was shown, with its level and origin at that time. */
export interface ActivePeriod extends Pick<Rule, "level" | "origin"> {
  readonly from: number;
  readonly to: number;
}

/** Below this many opportunities in sessions without the rule, before and after are compared instead. */
const MIN_HOLDOUT_OPPORTUNITIES = 10;

/** The periods in which the rule could be shown, from the journal. */
export function listActivePeriods(changes: readonly Change<Rule>[]): readonly ActivePeriod[] {
  return changes.flatMap(({ at, after: rule }, index): ActivePeriod[] => {
    const canBeShown = rule !== null && isShowable(rule);
    return canBeShown
      ? [{ from: at, to: changes[index + 1]?.at ?? Infinity, level: rule.level, origin: rule.origin }]
      : [];
  });
}

/** Sessions after the first period in which the rule was not active belong to neither arm. */
function assignArmByTime(periods: readonly ActivePeriod[], one: Comparable): readonly ProofSession[] {
  const { opportunities, attempts } = one;
  if (one.at < (periods[0]?.from ?? 0)) return [{ arm: "before", opportunities, attempts }];
  return periods.some(({ from, to }) => one.at >= from && one.at < to)
    ? [{ arm: "treated", opportunities, attempts }]
    : [];
}

/** By random assignment. Sessions before the holdout began, or under a rule that denies, belong to neither arm. */
function assignArmByHoldout(
  {
    rule,
    periods,
    mark: holdout,
  }: { readonly rule: Rule; readonly periods: readonly ActivePeriod[]; readonly mark: HoldoutState },
  policy: DistilPolicy,
  one: Comparable,
): readonly ProofSession[] {
  const { opportunities, attempts } = one;
  if (one.at < (periods[0]?.from ?? 0)) return [{ arm: "before", opportunities, attempts }];
  const period = periods.find(({ from, to }) => one.at >= from && one.at < to);
  if (period === undefined || holdout.heldSince === null || one.at < holdout.heldSince || period.level === "deny")
    return [];
  const { level, origin } = period;
  const isHeldOut = isInControlGroup({ id: rule.id, level, origin }, one.session, policy);
  return [{ arm: isHeldOut ? "held-out" : "treated", opportunities, attempts }];
}

type DistilPolicy = Context["config"]["policy"]["distil"];

export function canHoldOut(
  rule: Rule,
  holdout: HoldoutState | undefined,
  policy: Context["config"]["policy"]["distil"],
): boolean {
  return canBeginTrial(rule, holdout?.recent ?? 0, policy);
}
