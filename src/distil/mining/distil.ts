import type { Context } from "../../context.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import { markMergedInto } from "../../domain/rule/decisions.ts";
import { stripFailureCount } from "../../domain/rule/lifecycle/recount.ts";
import { type Rule, isActiveOrMuted } from "../../domain/rule/rule.ts";
import { hashId } from "../../lib/ids.ts";
import { stableJson } from "../../lib/json.ts";
import type { Db } from "../../store/engine/db.ts";
import {
  makeProvenance,
  applyAllChanges,
  listChangesOf,
  filterForgotten,
  type PlannedChange,
  planChange,
  withJournalLock,
} from "../../store/journal/journal.ts";
import { clearCachedResults } from "../../store/state/result-cache.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";
import { isByLaw, isReworded } from "../../domain/rule/by-law.ts";
import { countRules } from "../counting/count-rules.ts";
import { cacheRuleCounts } from "../counting/rule-counts.ts";
import { runMiners, type MiningOptions } from "./run-miners.ts";
import { findCoveredRecoveries } from "./covered-recoveries.ts";
import type { Proposal } from "./proposal.ts";
import { countNewForMiners } from "../counting/count-new-events.ts";
import { reviewAdvice } from "../counting/review-advice.ts";
import { recountRules } from "../counting/recount-rules.ts";
import { silenceUnsayableRules } from "../counting/silence-unsayable.ts";
import { findAdvisedCommand } from "../../domain/rule/matching/contradiction.ts";
import { isUnsayable } from "../../domain/rule/matching/unsayable.ts";
import { citeTheSame, isOfOtherCause, findRulesOfSameMistake } from "./same-mistake.ts";
import { isSilentCandidate } from "./waiting-text.ts";

export interface DistilResult {
  readonly proposals: readonly (Omit<Proposal, "calls" | "hasNewestAdvice"> & {
    readonly id: string;
    readonly standing: ProposalState;
  })[];
  readonly written: number;
  /** For the user: registries that could not be read completely. */
  readonly notes: readonly string[];
}

/** `renewed` has a better condition or more evidence than the candidate it replaces; `known` exists already. */
type ProposalState = "new" | "renewed" | "known";

export interface DistilOptions extends MiningOptions {
  readonly write: boolean;
}

/** Looks for rules in recorded events. Writes them as candidates only with `write`. */
export async function distil(ctx: Omit<Context, "store">, options: DistilOptions): Promise<DistilResult> {
  if (!options.write) {
    const { proposals, notes } = await runMiners(ctx, options);
    const judged = (await judgeProposals(ctx, proposals)).slice(0, options.limit ?? Infinity);
    return { proposals: judged.map(toOutput), written: 0, notes };
  }
  await countNewForMiners(ctx, []);
  await reviewAdvice(ctx);
  const written = await mineAndWrite(ctx, options);
  await countRules(ctx);
  await recountRules(ctx);
  await silenceUnsayableRules(ctx);
  await cacheRuleCounts(ctx, await listRules(ctx.db));
  return written;
}

/** Mines and writes, without updating derived data: the counts of new rules are left to their readers. */
export async function mineAndWrite(ctx: Omit<Context, "store">, options: MiningOptions): Promise<DistilResult> {
  const mined = await runMiners(ctx, options);
  // Judged under the lock, so that a decision made in the meantime wins.
  const proposals = await withJournalLock(ctx.db, async (tx) => {
    const found = (await judgeProposals({ db: tx }, mined.proposals)).slice(0, options.limit ?? Infinity);
    await applyAllChanges(tx, [
      ...found.filter(isNewOrRenewed).flatMap(planCandidates(ctx)),
      ...found.flatMap(planRecounts(ctx)),
    ]);
    await applyAllChanges(tx, found.flatMap(takesIn(ctx)));
    await mined.done(tx);
    // The cached proposals are outdated: they are written now, or were examined.
    await clearCachedResults(tx, "proposals");
    return found;
  });
  return { proposals: proposals.map(toOutput), written: proposals.filter(isNewOrRenewed).length, notes: mined.notes };
}

function planCandidates(ctx: Pick<Context, "clock" | "actor">): (one: JudgedProposal) => readonly PlannedChange[] {
  return (one) => {
    const { observations, sessions } = one.evidence;
    const because = makeProvenance(ctx, "distil", `${observations} ${one.miner} in ${sessions} sessions`);
    const rule = makeRule(one, one.before, because.at);
    return [planChange(ruleNoun, rule.id, because, () => rule)];
  };
}

/** Merges other candidates for the same mistake into this one. */
function takesIn(ctx: Pick<Context, "clock" | "actor">): (one: JudgedProposal) => readonly PlannedChange[] {
  return ({ id, replaces }) => {
    const same = makeProvenance(ctx, "distil", `the same mistake as ${id}`);
    return replaces.map((other) => planChange(ruleNoun, other.id, same, () => markMergedInto(other, { id })));
  };
}

/** Updates the counts of a known rule, and a candidate's confidence. Its wording, level and decisions stay. */
function planRecounts(ctx: Pick<Context, "clock" | "actor">): (one: JudgedProposal) => readonly PlannedChange[] {
  return ({ before, standing, text, evidence, confidence, unmasks }) => {
    if (standing !== "known" || before === null || !isActiveOrMuted(before) || before.pinned) return [];
    if (before.doubt !== undefined) return [];
    const isSame = stripFailureCount(before.text) === stripFailureCount(text) && before.text !== text;
    if (!unmasks && (!isSame || evidence.observations <= before.evidence.observations)) return [];
    const because = makeProvenance(ctx, "distil", `${evidence.observations} failures in ${evidence.sessions} sessions`);
    // The confidence of an approved rule depends only on its effect.
    const surer = before.status === "candidate" ? Math.max(before.confidence, confidence) : before.confidence;
    return [planChange(ruleNoun, before.id, because, () => ({ ...before, text, evidence, confidence: surer }))];
  };
}

function isNewOrRenewed(one: JudgedProposal): boolean {
  return one.standing !== "known";
}

function toOutput({
  before: _before,
  calls: _calls,
  replaces: _replaces,
  unmasks: _unmasks,
  hasNewestAdvice: _hasNewestAdvice,
  ...one
}: JudgedProposal): DistilResult["proposals"][number] {
  return one;
}

type JudgedProposal = Proposal & {
  readonly id: string;
  readonly standing: ProposalState;
  readonly before: Rule | null;
  /** True if its sentence shows the numbers that the existing rule masks. */
  readonly unmasks: boolean;
  /** Candidates for the same mistake, to be merged into this one. */
  readonly replaces: readonly Rule[];
};

/**
 * Decisions stand. A candidate gets a better condition for the same cause under the same id; another cause
 * gets another id. Forgotten rules do not come back.
 */
async function judgeProposals(
  ctx: Pick<Context, "db">,
  proposals: readonly Proposal[],
): Promise<readonly JudgedProposal[]> {
  const rules = await listRules(ctx.db);
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  // Rules without a matcher do not match each other by it.
  const keyed = rules.map((rule) => ({ rule, matcher: rule.matcher && matcherKey(rule), cause: causeKey(rule) }));
  const known = proposals.map((one) => {
    const [matcher, cause] = [matcherKey(one), causeKey(one)];
    const ofKind = keyed.filter(({ rule }) => isOfOneKind(rule, one));
    const same =
      ofKind.findLast((other) => other.matcher === matcher && !isOfOtherCause(one, other.rule)) ??
      // If the exact calls are known, they decide: a signature is the same for any path.
      (one.calls === undefined ? ofKind.findLast((other) => other.cause === cause) : undefined);
    return same?.rule ?? null;
  });
  // A rule that is proposed again unchanged covers its calls itself.
  const left = rules.filter((rule) => !known.includes(rule));
  const covered = findCoveredRecoveries(proposals, rules);
  const judged: JudgedProposal[] = [];
  for (const [at, proposal] of proposals.entries()) {
    const alike = findRulesOfSameMistake(proposal, left).filter(
      (rule) => !judged.some((one) => one.before?.id === rule.id),
    );
    const own = known[at] ?? null;
    const waits = own !== null && (await isUndecided(ctx.db, own));
    // A decision on a rule also applies to its duplicate.
    const decided = waits ? alike.find((rule) => rule.status !== "candidate" && citeTheSame(rule, own)) : undefined;
    const same = decided ?? own ?? alike[0] ?? null;
    const id = same?.id ?? hashId("r", stableJson([proposal.matcher, proposal.scope, proposal.signature]));
    if (judged.some((one) => one.id === id)) continue;
    const before = same ?? byId.get(id) ?? null;
    const renews = before !== null && (await isRenewed(ctx.db, before, proposal));
    const replaces: Rule[] = [];
    for (const rule of new Set([...(own === null ? [] : [own]), ...alike, ...otherCauses(proposal, left)]))
      if (rule.id !== id && (await isUndecided(ctx.db, rule))) replaces.push(rule);
    for (const rule of covered.get(proposal) ?? [])
      if (rule.id !== id && !replaces.includes(rule) && (await isOfMaintenance(ctx.db, rule))) replaces.push(rule);
    const standing = before === null ? "new" : renews ? "renewed" : "known";
    const unmasks = standing === "known" && before !== null && (await isMasked(ctx.db, before));
    judged.push({ ...proposal, id, before, standing, unmasks, replaces });
  }
  const forgotten = await filterForgotten(
    ctx.db,
    "rule",
    judged.map((one) => one.id),
  );
  return judged.filter((one) => !forgotten.has(one.id)).toSorted(compareWeight);
}

/**
 * A rule from a user's words and a mined rule are separate, even against the same command: each is decided
 * separately. A rule the owner wrote covers both. A candidate that is never shown does not cover a proposal
 * of another origin.
 */
function isOfOneKind(rule: Rule, proposal: Proposal): boolean {
  const isOwners = rule.origin === "owner" && !isFromUserWords(rule);
  if (isFromUserWords(rule) !== isFromUserWords(proposal)) return isOwners;
  return rule.origin === proposal.origin || !isSilentCandidate(rule);
}

/** Candidates with the same matcher for a cause that is no longer the usual one: only one rule speaks per call. */
function otherCauses(proposal: Proposal, rules: readonly Rule[]): readonly Rule[] {
  const key = matcherKey(proposal);
  return rules.filter((rule) => matcherKey(rule) === key && isOfOtherCause(proposal, rule));
}

/** True if its text, never reworded by a person, contains a masked number from an older version's sentences. */
async function isMasked(db: Db, { id, text, matcher }: Rule): Promise<boolean> {
  const shown = (matcher?.has ?? []).some((trait) => trait.includes("#")) && /`[^`]*(?:#|<n>)[^`]*`/.test(text);
  return shown && !isReworded(await listChangesOf(db, ruleNoun, id));
}

/** True for a candidate that no person has changed. */
async function isUndecided(db: Db, rule: Rule): Promise<boolean> {
  if (rule.status !== "candidate" || rule.pinned) return false;
  return (await listChangesOf(db, ruleNoun, rule.id)).every(isByLaw);
}

/** True for a candidate or a rule in force that no person has decided on. */
async function isOfMaintenance(db: Db, rule: Rule): Promise<boolean> {
  if ((rule.status !== "candidate" && rule.status !== "approved") || rule.pinned) return false;
  return (await listChangesOf(db, ruleNoun, rule.id)).every(isByLaw);
}

/** True if an undecided rule should be replaced: by a better condition, or because of newer evidence. */
async function isRenewed(db: Db, before: Rule, proposal: Proposal): Promise<boolean> {
  if (before.pinned || before.origin !== proposal.origin) return false;
  if (before.status === "candidate" && matcherKey(before) !== matcherKey(proposal)) return true;
  if (hasNewerAdvice(before, proposal)) {
    const changes = await listChangesOf(db, ruleNoun, before.id);
    // What the owner approved stands until it fails; the newer advice is then a candidate.
    if (changes.every(isByLaw) || (before.evidence.adviceFails !== undefined && !isReworded(changes))) return true;
  }
  const isStale =
    before.status === "candidate" &&
    before.doubt === undefined &&
    (hasMoreEvidence(before, proposal) || isUnsayable(before) || isOfEarlierLaw(before, proposal));
  if (!isStale && before.status !== "retired") return false;
  const changes = await listChangesOf(db, ruleNoun, before.id);
  // The owner's wording or level stands, even in a candidate.
  if (isStale) return changes.every(isByLaw);
  const last = changes.at(-1);
  return last?.cause.id === "decay" && proposal.evidence.last > last.at;
}

/** True if a rule in force or a candidate says something else to do, or to do what fails by now. */
function hasNewerAdvice({ status, level, text, evidence }: Rule, proposal: Proposal): boolean {
  if ((status !== "candidate" && status !== "approved") || level === "ask" || level === "deny") return false;
  if (evidence.adviceFails !== undefined) return stripFailureCount(text) !== stripFailureCount(proposal.text);
  if (proposal.hasNewestAdvice !== true) return false;
  const [now, then] = [proposal.text, text].map(findAdvisedCommand);
  return now !== then && now != null && then != null;
}

/** True if the law about remedies was not asked when the rule was made. */
function isOfEarlierLaw(before: Rule, { evidence }: Proposal): boolean {
  return before.evidence.remedy === undefined && evidence.remedy !== undefined;
}

/** A quarter more, or enough for another level. Not every new failure deserves a journal entry. */
function hasMoreEvidence(before: Rule, { level, evidence }: Proposal): boolean {
  const { observations } = before.evidence;
  return (
    evidence.observations * 4 >= observations * 5 || (evidence.observations > observations && level !== before.level)
  );
}

function compareWeight(a: JudgedProposal, b: JudgedProposal): number {
  return b.evidence.observations - a.evidence.observations || (a.id < b.id ? -1 : 1);
}

/** The same whichever of its heads is the most frequent today. */
function matcherKey({ matcher, scope }: Pick<Rule, "matcher" | "scope">): string {
  if (matcher?.heads === undefined) return stableJson([matcher, scope]);
  const { head, heads, ...rest } = matcher;
  return stableJson([{ ...rest, heads: [head, ...heads].toSorted() }, scope]);
}

function causeKey(one: Pick<Rule, "matcher" | "scope" | "signature">): string {
  return stableJson([one.matcher?.tool, one.matcher?.head ?? null, one.scope, one.signature]);
}

function makeRule(proposal: Proposal & { readonly id: string }, before: Rule | null, now: number): Rule {
  return {
    id: proposal.id,
    text: proposal.text,
    status: "candidate",
    level: proposal.level,
    confidence: proposal.confidence,
    salience: 0.5,
    origin: proposal.origin,
    scope: proposal.scope,
    signature: proposal.signature,
    // Of one matcher, the order of its heads stays.
    matcher: before !== null && matcherKey(before) === matcherKey(proposal) ? before.matcher : proposal.matcher,
    evidence: proposal.evidence,
    pinned: false,
    mergedInto: null,
    createdAt: before?.createdAt ?? now,
  };
}
