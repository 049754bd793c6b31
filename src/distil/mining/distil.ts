import type { Context } from "../../context.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import { markMergedInto } from "../../domain/rule/decisions.ts";
import { stripFailureCount } from "../../domain/rule/recount.ts";
import { type Rule, isActive } from "../../domain/rule/rule.ts";
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
import type { Proposal } from "./proposal.ts";
import { recountRules } from "../counting/recount-rules.ts";
import { citeTheSame, isOfOtherCause, findRulesOfSameMistake } from "./same-mistake.ts";
import { isSilentCandidate } from "./waiting-text.ts";

export interface DistilResult {
  readonly proposals: readonly (Omit<Proposal, "calls"> & { readonly id: string; readonly standing: ProposalState })[];
  readonly written: number;
  /** What a person should know: registries that could not be read whole. */
  readonly notes: readonly string[];
}

/** New; better, or of more evidence, than the candidate it replaces; or there already. */
type ProposalState = "new" | "renewed" | "known";

export interface DistilOptions extends MiningOptions {
  readonly write: boolean;
}

/** Looks for rules in what was observed. Shows them; writes them as candidates only when told to. */
export async function distil(ctx: Omit<Context, "store">, options: DistilOptions): Promise<DistilResult> {
  if (!options.write) {
    const { proposals, notes } = await runMiners(ctx, options);
    const judged = (await judgeProposals(ctx, proposals)).slice(0, options.limit ?? Infinity);
    return { proposals: judged.map(toOutput), written: 0, notes };
  }
  const written = await mineAndWrite(ctx, options);
  await countRules(ctx);
  await recountRules(ctx);
  await cacheRuleCounts(ctx, await listRules(ctx.db));
  return written;
}

/** The part of it that is not derived: what is counted about the new rules is left to whoever reads it. */
export async function mineAndWrite(ctx: Omit<Context, "store">, options: MiningOptions): Promise<DistilResult> {
  const mined = await runMiners(ctx, options);
  // Judged under the lock: what somebody decides meanwhile stands.
  const proposals = await withJournalLock(ctx.db, async (tx) => {
    const found = (await judgeProposals({ db: tx }, mined.proposals)).slice(0, options.limit ?? Infinity);
    await applyAllChanges(tx, [
      ...found.filter(isNewOrRenewed).flatMap(planCandidates(ctx)),
      ...found.flatMap(planRecounts(ctx)),
    ]);
    await applyAllChanges(tx, found.flatMap(takesIn(ctx)));
    await mined.done(tx);
    // What would be proposed is written now, or was looked at.
    await clearCachedResults(tx, "proposals");
    return found;
  });
  return { proposals: proposals.map(toOutput), written: proposals.filter(isNewOrRenewed).length, notes: mined.notes };
}

function planCandidates(ctx: Pick<Context, "clock" | "actor">): (one: JudgedProposal) => readonly PlannedChange[] {
  return (one) => {
    const { observations, sessions } = one.evidence;
    const because = makeProvenance(ctx, "distil", `${observations} ${one.miner} in ${sessions} sessions`);
    const rule = makeRule(one, one.before?.createdAt ?? because.at);
    return [planChange(ruleNoun, rule.id, because, () => rule)];
  };
}

/** Of one mistake one rule waits, or none where it is decided on. */
function takesIn(ctx: Pick<Context, "clock" | "actor">): (one: JudgedProposal) => readonly PlannedChange[] {
  return ({ id, replaces }) => {
    const same = makeProvenance(ctx, "distil", `the same mistake as ${id}`);
    return replaces.map((other) => planChange(ruleNoun, other.id, same, () => markMergedInto(other, { id })));
  };
}

/** A rule that stands keeps its words, its level and what was decided on it; how often it failed is said as it is now, and makes a candidate surer. */
function planRecounts(ctx: Pick<Context, "clock" | "actor">): (one: JudgedProposal) => readonly PlannedChange[] {
  return ({ before, standing, text, evidence, confidence, unmasks }) => {
    if (standing !== "known" || before === null || !isActive(before) || before.pinned) return [];
    if (before.doubt !== undefined) return [];
    const isSame = stripFailureCount(before.text) === stripFailureCount(text) && before.text !== text;
    if (!unmasks && (!isSame || evidence.observations <= before.evidence.observations)) return [];
    const because = makeProvenance(ctx, "distil", `${evidence.observations} failures in ${evidence.sessions} sessions`);
    // Of what somebody approved, only what comes of it says how sure it is.
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
  ...one
}: JudgedProposal): DistilResult["proposals"][number] {
  return one;
}

type JudgedProposal = Proposal & {
  readonly id: string;
  readonly standing: ProposalState;
  readonly before: Rule | null;
  /** Whether its sentence says in full what the one before it shows with masked numbers. */
  readonly unmasks: boolean;
  /** Candidates for the same mistake, which become one with it. */
  readonly replaces: readonly Rule[];
};

/**
 * What somebody decided stands. A candidate gives way to a better condition for the same cause, under its own name; another
 * cause has another name. What was forgotten does not come back.
 */
async function judgeProposals(
  ctx: Pick<Context, "db">,
  proposals: readonly Proposal[],
): Promise<readonly JudgedProposal[]> {
  const rules = await listRules(ctx.db);
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  // Rules without a matcher share nothing by that.
  const keyed = rules.map((rule) => ({ rule, matcher: rule.matcher && matcherKey(rule), cause: causeKey(rule) }));
  const known = proposals.map((one) => {
    const [matcher, cause] = [matcherKey(one), causeKey(one)];
    const ofKind = keyed.filter(({ rule }) => isOfOneKind(rule, one));
    const same =
      ofKind.findLast((other) => other.matcher === matcher && !isOfOtherCause(one, other.rule)) ??
      // Where the very calls are known they tell more than a signature, which is the same for any path.
      (one.calls === undefined ? ofKind.findLast((other) => other.cause === cause) : undefined);
    return same?.rule ?? null;
  });
  // What is proposed as it is explains its calls itself.
  const left = rules.filter((rule) => !known.includes(rule));
  const judged: JudgedProposal[] = [];
  for (const [at, proposal] of proposals.entries()) {
    const alike = findRulesOfSameMistake(proposal, left).filter(
      (rule) => !judged.some((one) => one.before?.id === rule.id),
    );
    const own = known[at] ?? null;
    const waits = own !== null && (await isUndecided(ctx.db, own));
    // What was decided on a rule is decided on its twin too.
    const decided = waits ? alike.find((rule) => rule.status !== "candidate" && citeTheSame(rule, own)) : undefined;
    const same = decided ?? own ?? alike[0] ?? null;
    const id = same?.id ?? hashId("r", stableJson([proposal.matcher, proposal.scope, proposal.signature]));
    if (judged.some((one) => one.id === id)) continue;
    const before = same ?? byId.get(id) ?? null;
    const renews = before !== null && (await isRenewed(ctx.db, before, proposal));
    const replaces: Rule[] = [];
    for (const rule of new Set([...(own === null ? [] : [own]), ...alike, ...otherCauses(proposal, left)]))
      if (rule.id !== id && (await isUndecided(ctx.db, rule))) replaces.push(rule);
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
 * What somebody said and what was counted are two rules, also against the same command: each is decided on by itself. What
 * the owner wrote stands for both. A candidate that nobody is shown does not stand for one of another origin.
 */
function isOfOneKind(rule: Rule, proposal: Proposal): boolean {
  const isOwners = rule.origin === "owner" && !isFromUserWords(rule);
  if (isFromUserWords(rule) !== isFromUserWords(proposal)) return isOwners;
  return rule.origin === proposal.origin || !isSilentCandidate(rule);
}

/** Candidates against the very same calls, for what is no longer their usual cause: of one call one rule speaks. */
function otherCauses(proposal: Proposal, rules: readonly Rule[]): readonly Rule[] {
  const key = matcherKey(proposal);
  return rules.filter((rule) => matcherKey(rule) === key && isOfOtherCause(proposal, rule));
}

/** Whether its words, which are nobody's but the laws', show a masked number: they were written while sentences did. */
async function isMasked(db: Db, { id, text, matcher }: Rule): Promise<boolean> {
  const shown = (matcher?.has ?? []).some((trait) => trait.includes("#")) && /`[^`]*(?:#|<n>)[^`]*`/.test(text);
  return shown && !isReworded(await listChangesOf(db, ruleNoun, id));
}

/** Whether it is a candidate that only the laws have written. */
async function isUndecided(db: Db, rule: Rule): Promise<boolean> {
  if (rule.status !== "candidate" || rule.pinned) return false;
  return (await listChangesOf(db, ruleNoun, rule.id)).every(isByLaw);
}

/** Whether a rule that nobody has decided on gives way: to a better condition, or to what has come since it was written. */
async function isRenewed(db: Db, before: Rule, proposal: Proposal): Promise<boolean> {
  if (before.pinned || before.origin !== proposal.origin) return false;
  if (before.status === "candidate" && matcherKey(before) !== matcherKey(proposal)) return true;
  const isStale = before.status === "candidate" && before.doubt === undefined && hasMoreEvidence(before, proposal);
  if (!isStale && before.status !== "retired") return false;
  const changes = await listChangesOf(db, ruleNoun, before.id);
  // An owner's wording or level stands, also in a candidate.
  if (isStale) return changes.every(isByLaw);
  const last = changes.at(-1);
  return last?.cause.id === "decay" && proposal.evidence.last > last.at;
}

/** A quarter more, or enough for another level: not each new failure is worth an entry in the journal. */
function hasMoreEvidence(before: Rule, { level, evidence }: Proposal): boolean {
  const { observations } = before.evidence;
  return (
    evidence.observations * 4 >= observations * 5 || (evidence.observations > observations && level !== before.level)
  );
}

function compareWeight(a: JudgedProposal, b: JudgedProposal): number {
  return b.evidence.observations - a.evidence.observations || (a.id < b.id ? -1 : 1);
}

function matcherKey(one: Pick<Rule, "matcher" | "scope">): string {
  return stableJson([one.matcher, one.scope]);
}

function causeKey(one: Pick<Rule, "matcher" | "scope" | "signature">): string {
  return stableJson([one.matcher?.tool, one.matcher?.head ?? null, one.scope, one.signature]);
}

function makeRule(proposal: Proposal & { readonly id: string }, createdAt: number): Rule {
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
    matcher: proposal.matcher,
    evidence: proposal.evidence,
    pinned: false,
    mergedInto: null,
    createdAt,
  };
}
