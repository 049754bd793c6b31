import type { Context } from "../context.ts";
import { isSomebodysWord } from "../domain/rule/backing.ts";
import { mergedInto } from "../domain/rule/decisions.ts";
import { withoutFailures } from "../domain/rule/recount.ts";
import { type Rule, stands } from "../domain/rule/rule.ts";
import { hashId } from "../lib/ids.ts";
import { stableJson } from "../lib/json.ts";
import type { Db } from "../store/engine/db.ts";
import { by, changeAll, changesOf, forgottenAmong, type Planned, planned, underLock } from "../store/journal.ts";
import { dropKept } from "../store/kept.ts";
import { listRules, ruleNoun } from "../store/rules.ts";
import { isByLaw, isReworded } from "../domain/rule/by-law.ts";
import { countRules } from "./count-rules.ts";
import { keepCountedRules } from "./counted-rules.ts";
import { mine, type Mining } from "./mine.ts";
import type { Proposal } from "./proposal.ts";
import { recountRules } from "./recount-rules.ts";
import { citeTheSame, isOfOtherCause, sameMistake } from "./same-mistake.ts";
import { isSilentCandidate } from "./waiting-text.ts";

export interface Distilled {
  readonly proposals: readonly (Omit<Proposal, "calls"> & { readonly id: string; readonly standing: Standing })[];
  readonly written: number;
  /** What a person should know: registries that could not be read whole. */
  readonly notes: readonly string[];
}

/** New; better, or of more evidence, than the candidate it replaces; or there already. */
type Standing = "new" | "renewed" | "known";

export interface DistilOptions extends Mining {
  readonly write: boolean;
}

/** Looks for rules in what was observed. Shows them; writes them as candidates only when told to. */
export async function distil(ctx: Omit<Context, "store">, options: DistilOptions): Promise<Distilled> {
  if (!options.write) {
    const { proposals, notes } = await mine(ctx, options);
    const judged = (await judge(ctx, proposals)).slice(0, options.limit ?? Infinity);
    return { proposals: judged.map(told), written: 0, notes };
  }
  const written = await mineAndWrite(ctx, options);
  await countRules(ctx);
  await recountRules(ctx);
  await keepCountedRules(ctx, await listRules(ctx.db));
  return written;
}

/** The part of it that is not derived: what is counted about the new rules is left to whoever reads it. */
export async function mineAndWrite(ctx: Omit<Context, "store">, options: Mining): Promise<Distilled> {
  const mined = await mine(ctx, options);
  // Judged under the lock: what somebody decides meanwhile stands.
  const proposals = await underLock(ctx.db, async (tx) => {
    const found = (await judge({ db: tx }, mined.proposals)).slice(0, options.limit ?? Infinity);
    await changeAll(tx, [...found.filter(isFresh).flatMap(candidates(ctx)), ...found.flatMap(recounts(ctx))]);
    await changeAll(tx, found.flatMap(takesIn(ctx)));
    await mined.done(tx);
    // What would be proposed is written now, or was looked at.
    await dropKept(tx, "proposals");
    return found;
  });
  return { proposals: proposals.map(told), written: proposals.filter(isFresh).length, notes: mined.notes };
}

function candidates(ctx: Pick<Context, "clock" | "actor">): (one: Judged) => readonly Planned[] {
  return (one) => {
    const { observations, sessions } = one.evidence;
    const because = by(ctx, "distil", `${observations} ${one.miner} in ${sessions} sessions`);
    const rule = ruleFrom(one, one.before?.createdAt ?? because.at);
    return [planned(ruleNoun, rule.id, because, () => rule)];
  };
}

/** Of one mistake one rule waits, or none where it is decided on. */
function takesIn(ctx: Pick<Context, "clock" | "actor">): (one: Judged) => readonly Planned[] {
  return ({ id, replaces }) => {
    const same = by(ctx, "distil", `the same mistake as ${id}`);
    return replaces.map((other) => planned(ruleNoun, other.id, same, () => mergedInto(other, { id })));
  };
}

/** A rule that stands keeps its words, its level and what was decided on it; how often it failed is said as it is now, and makes a candidate surer. */
function recounts(ctx: Pick<Context, "clock" | "actor">): (one: Judged) => readonly Planned[] {
  return ({ before, standing, text, evidence, confidence, unmasks }) => {
    if (standing !== "known" || before === null || !stands(before) || before.pinned) return [];
    if (before.doubt !== undefined) return [];
    const isSame = withoutFailures(before.text) === withoutFailures(text) && before.text !== text;
    if (!unmasks && (!isSame || evidence.observations <= before.evidence.observations)) return [];
    const because = by(ctx, "distil", `${evidence.observations} failures in ${evidence.sessions} sessions`);
    // Of what somebody approved, only what comes of it says how sure it is.
    const surer = before.status === "candidate" ? Math.max(before.confidence, confidence) : before.confidence;
    return [planned(ruleNoun, before.id, because, () => ({ ...before, text, evidence, confidence: surer }))];
  };
}

function isFresh(one: Judged): boolean {
  return one.standing !== "known";
}

function told({
  before: _before,
  calls: _calls,
  replaces: _replaces,
  unmasks: _unmasks,
  ...one
}: Judged): Distilled["proposals"][number] {
  return one;
}

type Judged = Proposal & {
  readonly id: string;
  readonly standing: Standing;
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
async function judge(ctx: Pick<Context, "db">, proposals: readonly Proposal[]): Promise<readonly Judged[]> {
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
  const judged: Judged[] = [];
  for (const [at, proposal] of proposals.entries()) {
    const alike = sameMistake(proposal, left).filter((rule) => !judged.some((one) => one.before?.id === rule.id));
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
  const forgotten = await forgottenAmong(
    ctx.db,
    "rule",
    judged.map((one) => one.id),
  );
  return judged.filter((one) => !forgotten.has(one.id)).toSorted(byWeight);
}

/**
 * What somebody said and what was counted are two rules, also against the same command: each is decided on by itself. What
 * the owner wrote stands for both. A candidate that nobody is shown does not stand for one of another origin.
 */
function isOfOneKind(rule: Rule, proposal: Proposal): boolean {
  const isOwners = rule.origin === "owner" && !isSomebodysWord(rule);
  if (isSomebodysWord(rule) !== isSomebodysWord(proposal)) return isOwners;
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
  return shown && !isReworded(await changesOf(db, ruleNoun, id));
}

/** Whether it is a candidate that only the laws have written. */
async function isUndecided(db: Db, rule: Rule): Promise<boolean> {
  if (rule.status !== "candidate" || rule.pinned) return false;
  return (await changesOf(db, ruleNoun, rule.id)).every(isByLaw);
}

/** Whether a rule that nobody has decided on gives way: to a better condition, or to what has come since it was written. */
async function isRenewed(db: Db, before: Rule, proposal: Proposal): Promise<boolean> {
  if (before.pinned || before.origin !== proposal.origin) return false;
  if (before.status === "candidate" && matcherKey(before) !== matcherKey(proposal)) return true;
  const isStale = before.status === "candidate" && before.doubt === undefined && hasMore(before, proposal);
  if (!isStale && before.status !== "retired") return false;
  const changes = await changesOf(db, ruleNoun, before.id);
  // An owner's wording or level stands, also in a candidate.
  if (isStale) return changes.every(isByLaw);
  const last = changes.at(-1);
  return last?.cause.id === "decay" && proposal.evidence.last > last.at;
}

/** A quarter more, or enough for another level: not each new failure is worth an entry in the journal. */
function hasMore(before: Rule, { level, evidence }: Proposal): boolean {
  const { observations } = before.evidence;
  return (
    evidence.observations * 4 >= observations * 5 || (evidence.observations > observations && level !== before.level)
  );
}

function byWeight(a: Judged, b: Judged): number {
  return b.evidence.observations - a.evidence.observations || (a.id < b.id ? -1 : 1);
}

function matcherKey(one: Pick<Rule, "matcher" | "scope">): string {
  return stableJson([one.matcher, one.scope]);
}

function causeKey(one: Pick<Rule, "matcher" | "scope" | "signature">): string {
  return stableJson([one.matcher?.tool, one.matcher?.head ?? null, one.scope, one.signature]);
}

function ruleFrom(proposal: Proposal & { readonly id: string }, createdAt: number): Rule {
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
