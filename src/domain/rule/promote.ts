import { DAY } from "../../lib/clock.ts";
import { atLeastPercent } from "../../lib/percent.ts";
import { plural } from "../../lib/text.ts";
import type { Policy } from "../policy.ts";
import { type Evidence, type Level, levels, type Origin, type RuleStatus } from "./rule.ts";
import { wilsonLower } from "../proof/wilson.ts";

export interface PromotionCandidate {
  readonly status: RuleStatus;
  readonly origin: Origin;
  readonly confidence: number;
  /** True if it comes from what someone said or changed: only the owner can say whether it holds in general. */
  readonly isFromUserWords: boolean;
  readonly observations: number;
  readonly sessions: number;
  /** When the first and last observation happened, not when they were imported. */
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly proposedAt: number;
  readonly lastContradicted: number | null;
}

export type Promotion =
  | { readonly kind: "approved"; readonly confidence: number; readonly reason: string }
  | { readonly kind: "waiting"; readonly lacks: readonly string[] };

/**
 * Approves a mined candidate that was seen often, in several sessions, over several days and again after it was
 * proposed, without a recent contradiction. Earlier events alone never suffice: an import of old events would approve
 * everything it proposes.
 */
export function promoteCandidate(candidate: PromotionCandidate, policy: Policy["distil"], now: number): Promotion {
  const { observations, sessions, confidence } = candidate;
  const days = Math.max(0, candidate.lastSeen - candidate.firstSeen) / DAY;
  const contradicted = candidate.lastContradicted;
  const lacks = [
    candidate.status === "candidate" ? null : `it is ${candidate.status}, not a candidate`,
    // External rules are never approved without the owner.
    candidate.origin === "external" ? "its origin is external: the owner decides" : null,
    candidate.isFromUserWords ? "it is based on what a user said: the owner decides" : null,
    atLeast(observations, policy.promoteObservations, "observation"),
    atLeast(sessions, policy.promoteSessions, "session"),
    days >= policy.promoteDays ? null : `${Math.floor(days)} of ${plural(policy.promoteDays, "day")}`,
    candidate.lastSeen > candidate.proposedAt ? null : "not seen since it was proposed",
    confidence >= policy.promoteConfidence
      ? null
      : `confidence ${confidence.toFixed(2)} of ${policy.promoteConfidence}`,
    contradicted === null || now - contradicted >= policy.promoteQuietDays * DAY
      ? null
      : `contradicted in the last ${plural(policy.promoteQuietDays, "day")}`,
  ].filter((one) => one !== null);
  if (lacks.length > 0) return { kind: "waiting", lacks };
  return {
    kind: "approved",
    confidence: Math.min(1, confidence + policy.promoteBonus),
    reason: `${plural(observations, "observation")} in ${plural(sessions, "session")} over ${plural(Math.floor(days), "day")}, the last after it was proposed`,
  };
}

function atLeast(has: number, wants: number, what: string): string | null {
  return has >= wants ? null : `${has} of ${plural(wants, what)}`;
}

/**
 * What recorded calls say about a rule: how often the call it warns against failed and worked, and in how many sessions
 * it failed.
 */
export interface BacktestTally {
  readonly hits: number;
  readonly falseAlarms: number;
  readonly sessions: number;
  /** True if the program itself said in each failure that it does not know what it was given: chance is no explanation. */
  readonly isCertain?: boolean;
}

/**
 * The highest level that recorded calls allow. Every miner, `backtest` and maintenance use it. The lower bound of
 * precision decides; for `advise`, one as high as that of `minCount` failures without a success, and
 * few false alarms. A certain cause needs
 * one failure in each of `minSessions` sessions.
 */
export function computeAllowedLevel(
  { hits, falseAlarms, sessions, isCertain = false }: BacktestTally,
  policy: Policy["distil"],
): { readonly level: Level; readonly reason: string } {
  const fired = hits + falseAlarms;
  const lower = wilsonLower(hits, fired);
  const reason = `${hits} of ${plural(fired, "firing")} right, at least ${atLeastPercent(lower)} of them`;
  if (lower >= policy.denyPrecision) return { level: "deny", reason };
  if (lower >= policy.askPrecision) return { level: "ask", reason };
  if (lower >= policy.nudgePrecision) return { level: "nudge", reason };
  const least = isCertain && falseAlarms === 0 ? Math.min(policy.minSessions, policy.minCount) : policy.minCount;
  const isSure = lower >= wilsonLower(least, least) && falseAlarms * RIGHT_FOR_EACH_WRONG <= hits;
  const isSteady = hits >= least && sessions >= policy.minSessions && isSure;
  return { level: isSteady ? "advise" : "watch", reason };
}

/** Advice may be wrong once for so many times that it is right. */
const RIGHT_FOR_EACH_WRONG = 4;

/** The level at which a miner proposes: at most `nudge`, because statistics alone allow no more. */
export function proposedLevel(tally: BacktestTally, policy: Policy["distil"]): Level {
  return softerLevel(computeAllowedLevel(tally, policy).level, "nudge");
}

export function softerLevel(a: Level, b: Level): Level {
  return levels.indexOf(a) < levels.indexOf(b) ? a : b;
}

/** The highest level of a rule: what its backtest allows, or any if the owner approved it. */
export function computeLevelCeiling(
  tally: BacktestTally,
  approval: { readonly ownerApproved: boolean; readonly builtIn: boolean; readonly hasMatcher: boolean },
  policy: Policy["distil"],
): { readonly level: Level; readonly reason: string } {
  if (!approval.hasMatcher) return { level: "advise", reason: "it has no matcher, so it can only advise" };
  if (approval.builtIn) return { level: "deny", reason: "a built-in guard" };
  if (approval.ownerApproved) return { level: "deny", reason: "the owner approved it" };
  return computeAllowedLevel(tally, policy);
}

export interface MergeableRule {
  readonly id: string;
  readonly signature: string | null;
  /** The scope as text: rules of different scopes are not merged. */
  readonly scope: string;
  readonly status: RuleStatus;
  readonly confidence: number;
  readonly createdAt: number;
}

/** Groups rules with the same signature and scope. Keeps the approved one, else the most confident, else the oldest. */
export function findMerges<T extends MergeableRule>(
  rules: readonly T[],
): readonly { readonly into: T; readonly from: readonly T[] }[] {
  const groups = new Map<string, T[]>();
  for (const rule of rules) {
    if (rule.signature === null || !["candidate", "approved", "dormant"].includes(rule.status)) continue;
    const key = JSON.stringify([rule.signature, rule.scope]);
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  return [...groups.values()].flatMap((group) => {
    const [into, ...from] = group.toSorted(
      (a, b) =>
        Number(b.status === "approved") - Number(a.status === "approved") ||
        b.confidence - a.confidence ||
        a.createdAt - b.createdAt ||
        (a.id < b.id ? -1 : 1),
    );
    return into !== undefined && from.length > 0 ? [{ into, from }] : [];
  });
}

/** The combined evidence; a call that both cite counts once. */
export function mergeEvidence(a: Evidence, b: Evidence): Evidence {
  const key = (ref: Evidence["refs"][number]) => `${ref.host} ${ref.session} ${ref.seq}`;
  const cited = new Set(a.refs.map(key));
  const added = b.refs.filter((ref) => !cited.has(key(ref)));
  const refs = [...a.refs, ...added].toSorted((one, other) => one.at - other.at);
  const sessions = new Set(refs.map((ref) => `${ref.host} ${ref.session}`)).size;
  return {
    observations: a.observations + b.observations - (b.refs.length - added.length),
    sessions: Math.max(sessions, a.sessions, b.sessions),
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
    refs,
    ...(a.remedy === undefined ? {} : { remedy: a.remedy }),
    ...(a.overturned === undefined ? {} : { overturned: a.overturned }),
    ...(a.adviceFails === undefined ? {} : { adviceFails: a.adviceFails }),
    ...(a.purged === undefined && b.purged === undefined ? {} : { purged: (a.purged ?? 0) + (b.purged ?? 0) }),
  };
}
