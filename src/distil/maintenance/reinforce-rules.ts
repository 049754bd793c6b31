import type { Context } from "../../context.ts";
import type { Event } from "../../domain/event/event.ts";
import { findWithheldReason } from "../../domain/remedy/stored-rule.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import { escalateRule } from "../../domain/rule/lifecycle/escalate.ts";
import { isOpportunity, matcherHeads, matchesSteps } from "../../domain/rule/matching/matcher.ts";
import { computeLevelCeiling } from "../../domain/rule/promote.ts";
import { type Encounter, reinforceRule } from "../../domain/rule/lifecycle/reinforce.ts";
import { scopeCovers, type Matcher, type Rule } from "../../domain/rule/rule.ts";
import { isHeldByUs } from "../../domain/text/rule-message-text.ts";
import { newSituation } from "../../domain/rule/matching/situation.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { HOUR } from "../../lib/clock.ts";
import { groupBy } from "../../lib/group-by.ts";
import { plural } from "../../lib/text.ts";
import type { Db } from "../../store/engine/db.ts";
import { listSessionCalls } from "../../store/events/events.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { listMistakes } from "../../store/nouns/ledger.ts";
import { patternKey } from "../../domain/ledger/pattern.ts";
import { listOverrides } from "../../store/nouns/overrides.ts";
import {
  type PendingEncounter,
  listPendingEncounters,
  type Reinforcement,
  listReinforcements,
} from "../../store/shown/reinforcements.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";
import { readRuleTotals, toBacktestTally } from "../../store/shown/rule-sessions.ts";
import { isByLaw } from "../../domain/rule/by-law.ts";
import type { RuleStep } from "./maintenance.ts";
import { classifyTry } from "../counting/read-tries.ts";
import { roundConfidence } from "./promote-rules.ts";

export type CountedEncounter = Reinforcement;

/** A session is counted after it has ended or been quiet this long. */
const QUIET_MS = HOUR;

/** A host records when a call began; the hook that lets it pass runs a moment later. */
const MAX_CLOCK_SKEW_MS = 30_000;

/** Plans changes from what sessions did after they were shown a rule; repeatedly broken rules get a stricter level. */
export async function planReinforcements(
  ctx: Pick<Context, "db" | "clock" | "config">,
): Promise<{ readonly steps: readonly RuleStep[]; readonly counted: readonly CountedEncounter[] }> {
  const now = ctx.clock.now();
  const byRule = new Map<string, PendingEncounter[]>();
  for (const one of await listPendingEncounters(ctx.db, now - QUIET_MS))
    byRule.set(one.rule, [...(byRule.get(one.rule) ?? []), one]);
  const steps: RuleStep[] = [];
  const counted: CountedEncounter[] = [];
  for (const rule of await listRules(ctx.db)) {
    const met = await countEncounters(ctx, rule, byRule.get(rule.id) ?? []);
    counted.push(...met.counted);
    steps.push(...met.steps);
    const raised = await planEscalation(ctx, met.rule, met.counted);
    if (raised !== null) steps.push(raised);
  }
  return { steps, counted };
}

async function countEncounters(
  ctx: Pick<Context, "db" | "config">,
  rule: Rule,
  encounters: readonly PendingEncounter[],
): Promise<{
  readonly rule: Rule;
  readonly steps: readonly RuleStep[];
  readonly counted: readonly CountedEncounter[];
}> {
  let current = rule;
  const counted: CountedEncounter[] = [];
  const reasons: string[] = [];
  const isDecided = encounters.length > 0 && rule.status === "approved" && (await isApprovedByPerson(ctx.db, rule.id));
  for (const encounter of encounters) {
    if (rule.matcher === null) continue;
    const done = await countAfterEncounter(ctx.db, { ...rule, matcher: rule.matcher }, encounter);
    const found = reinforceRule(
      {
        ...current,
        isDecided,
        changesAct: findWithheldReason(rule) !== null || rule.evidence.remedy?.origin === "other",
      },
      { shown: true, counted: false, ...done },
      ctx.config.policy.distil,
    );
    if (found.kind === "unchanged") continue;
    current = { ...current, confidence: roundConfidence(found.confidence), status: found.status };
    reasons.push(found.reason);
    const { host, session, at, delivery } = encounter;
    const broken = found.kind === "contradicted" ? null : found.kind === "broken";
    counted.push({ rule: rule.id, host, session, at, broken, delivery });
  }
  const changed = current.confidence !== rule.confidence || current.status !== rule.status;
  return {
    rule: current,
    counted,
    steps: changed ? [{ step: "reinforce", before: rule, after: current, reason: countReasons(reasons) }] : [],
  };
}

async function isApprovedByPerson(db: Db, id: string): Promise<boolean> {
  const approved = (await listChangesOf(db, ruleNoun, id)).findLast(
    ({ before, after }) => after?.status === "approved" && before?.status !== "approved",
  );
  return approved !== undefined && !isByLaw(approved);
}

/** Each reason once, with the number of sessions. */
function countReasons(reasons: readonly string[]): string {
  return [...groupBy(reasons, (one) => one)]
    .map(([reason, all]) => (all.length === 1 ? reason : `${reason} (${plural(all.length, "session")})`))
    .join("; ");
}

/** False for a call that was held or refused: the rule that stopped it was not broken. */
function hasRun({ outcome, error }: Pick<Event, "outcome" | "error">): boolean {
  return outcome !== "denied" && outcome !== "rejected" && !isHeldByUs(error);
}

/** What the session did after it was shown the rule. A call it was shown at does not count: it was already decided. */
async function countAfterEncounter(
  db: Db,
  rule: Rule & { readonly matcher: Matcher },
  encounter: PendingEncounter,
): Promise<Pick<Encounter, "opportunities" | "repeats" | "failed" | "worked">> {
  const situation = newSituation();
  let pardoned = !encounter.atCall;
  const done = { opportunities: 0, repeats: 0, failed: 0, worked: 0 };
  const heads = matcherHeads(rule.matcher);
  const isWish = rule.origin === "owner" || isFromUserWords(rule);
  const passes = (await listOverrides(db, rule.id))
    .flatMap(({ used }) => (used?.host === encounter.host && used.session === encounter.session ? [used.at] : []))
    .toSorted((a, b) => a - b);
  for (const call of await listSessionCalls(db, { host: encounter.host, id: encounter.session })) {
    if (call.tool === null || !hasRun(call)) continue;
    const toolCall = { ...call, tool: call.tool };
    const steps = parseSteps(toolCall);
    const state = new Set([...situation.before(toolCall), ...situation.listRuns(call.agent)]);
    situation.after(toolCall);
    if (call.at < encounter.at || !scopeCovers(rule.scope, call.workspace) || !isOpportunity(rule.matcher, steps))
      continue;
    const repeated = matchesSteps(rule.matcher, steps, state);
    // The owner let this call pass, so it does not break the rule.
    if (repeated && passes[0] !== undefined && call.at >= passes[0] - MAX_CLOCK_SKEW_MS) {
      passes.shift();
      continue;
    }
    if (repeated && !pardoned) {
      pardoned = true;
      continue;
    }
    done.opportunities++;
    if (!repeated) continue;
    done.repeats++;
    // A rule that a person wished for is not disproved when the call works.
    const came = isWish ? "failed" : classifyTry(toolCall, (head) => heads.length === 0 || heads.includes(head));
    if (came === "failed" || came === "worked") done[came]++;
  }
  return done;
}

async function planEscalation(
  ctx: Pick<Context, "db" | "config">,
  rule: Rule,
  fresh: readonly CountedEncounter[],
): Promise<RuleStep | null> {
  if (rule.status !== "approved") return null;
  const policy = ctx.config.policy.distil;
  const broken = await listViolations(ctx.db, rule, fresh);
  const rises = (await listChangesOf(ctx.db, ruleNoun, rule.id)).filter(
    (change) => change.cause.id === "reinforce" && change.before?.salience !== change.after?.salience,
  );
  const since = rises.at(-1)?.at ?? (await readApprovalTime(ctx.db, rule));
  const totals = (await readRuleTotals(ctx.db, rule.id)).get(rule.id);
  const ceiling = computeLevelCeiling(
    totals === undefined ? { hits: 0, falseAlarms: 0, sessions: 0 } : toBacktestTally(totals),
    { ownerApproved: rule.origin === "owner", builtIn: false, hasMatcher: rule.matcher !== null },
    policy,
  );
  const found = escalateRule(
    { ...rule, hasMatcher: rule.matcher !== null },
    { sinceRise: broken.filter((at) => at > since).length, inAll: broken.length, ceiling: ceiling.level },
    policy,
  );
  if (found.kind === "unchanged") return null;
  const { level, salience, text } = found;
  return { step: "escalate", before: rule, after: { ...rule, level, salience, text }, reason: found.reason };
}

/** Failures before this time are the rule's evidence, not violations. */
async function readApprovalTime(db: Db, rule: Rule): Promise<number> {
  const changes = await listChangesOf(db, ruleNoun, rule.id);
  return changes.find(({ after }) => after?.status === "approved")?.at ?? rule.createdAt;
}

/**
 * When the rule was broken: sessions that were shown it, made the call anyway, and failed; for a ledger rule,
 * new mistakes of its pattern.
 */
async function listViolations(db: Db, rule: Rule, fresh: readonly CountedEncounter[]): Promise<readonly number[]> {
  if (rule.matcher !== null) {
    const known = await listReinforcements(db, rule.id);
    return [...known, ...fresh].filter((one) => one.broken === true).map((one) => one.at);
  }
  if (rule.signature === null || !rule.signature.startsWith("pattern ")) return [];
  const key = rule.signature.slice("pattern ".length);
  return (await listMistakes(db))
    .filter((one) => patternKey(one.pattern) === key && one.at > rule.createdAt)
    .map((one) => one.at);
}
