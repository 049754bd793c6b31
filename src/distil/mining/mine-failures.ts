import type { Context } from "../../context.ts";
import { isOfNetwork, isPassing } from "../../domain/cause/blame.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import { causeSentence } from "../../domain/cause/sentence.ts";
import { isOwnException } from "../../domain/cause/own-exception.ts";
import { causeKey, isMissingProgram, isAccidentalCause } from "../../domain/cause/cause-traits.ts";
import { newCauseJudge } from "../../domain/cause/rule-cause.ts";
import { findTraitRisk } from "../../domain/risk/command-risk.ts";
import { toSpokenMatcher } from "../../domain/rule/wording/spoken-matcher.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import { findFactsInFailure } from "../../domain/fact/read-failure.ts";
import { lastSegment } from "../../domain/fact/resolve-path.ts";
import { proposedLevel, softerLevel } from "../../domain/rule/promote.ts";
import { ruleSentence, saysWhatToDo } from "../../domain/rule/wording/rule-sentence.ts";
import { scopeCovers, type Matcher } from "../../domain/rule/rule.ts";
import { holdsOf } from "../../domain/rule/matching/synthesis.ts";
import { makeCallGroup, parseSteps } from "../../domain/shell/step.ts";
import { CALL_TRAIT } from "../../domain/shell/traits.ts";
import { stableJson } from "../../lib/json.ts";
import {
  listGroupsToMine,
  getTryGroup,
  type TryGroup,
  countTriesIn,
  listTries,
  listTriesByWorkspace,
  type TriedEvent,
} from "../../store/derived/tries.ts";
import { readRanBefore } from "../counting/ran-before.ts";
import { isOfScript, nameOf, withSharedStart } from "./by-script.ts";
import { type FoundCause, findCauses, findScriptFolder, type GroupTry, literalsOf } from "./find-causes.ts";
import { type CommandFamily, listFamiliesToMine, parseGroupHead, findLooseProgram } from "./families.ts";
import type { MiningWindow } from "./mining-window.ts";
import { callKey, makeCallEvidence, type Proposal } from "./proposal.ts";
import { chooseRemedy } from "./choose-remedy.ts";
import { mineScriptFolders } from "./mine-script-folders.ts";
import { isOfSameCalls } from "./same-mistake.ts";
import { markFollowers } from "./mark-followers.ts";
import { markOverturned } from "./mark-overturned.ts";
import { isFoundElsewhere } from "./found-elsewhere.ts";
import { isMistakenForm } from "./form-on-server.ts";
import { fileReaders, findMissedPath, findFolderExample, listTriedPrograms } from "./missed-path.ts";
import { listFollowingTraits, listRepairTraits, withLacks } from "./except-following.ts";
import type { Remedy } from "./find-remedy.ts";
import { makeRuleRemedy } from "./rule-remedy.ts";
import { findLackOrigin } from "./taught-traits.ts";
import { withAnyValue } from "./option-in-place.ts";
import { withTypedOptions } from "./typed-options.ts";
import { withKnownVariables } from "./unset-variable.ts";
import { headsToName, otherNames, programOf } from "./name-heads.ts";

/** Calls read of a group, the latest; without a limit on calls also the latest of each workspace. */
export const MAX_GROUP_CALLS = 3_000;

/** A workspace with fewer failures is not examined. */
const MIN_FAILURES = 3;

type MinerContext = Pick<Context, "db" | "config">;

/** Proposes one rule for each cause and scope, from what its failing calls have in common. */
export async function mineFailures(
  ctx: MinerContext,
  window: MiningWindow,
): Promise<{ readonly proposals: readonly Proposal[]; readonly groups: readonly TryGroup[] }> {
  const { distil } = ctx.config.policy;
  const policy = { ...distil, minCount: window.minCount ?? distil.minCount };
  const families = await listFamiliesToMine(ctx.db, { least: policy.minCount, fresh: window.isIncremental });
  const proposals: Proposal[] = [];
  const groups = new Map<string, TryGroup>();
  const failed: GroupTry[] = [];
  for (const family of await limitFamilies(ctx.db, families, window.calls)) {
    for (const group of family) groups.set(group, await getTryGroup(ctx.db, group));
    const own = await loadFamily(ctx.db, family, window);
    const withOption = await addSameOption(ctx.db, own, { family, look: window });
    const all = await addSamePath(ctx.db, withOption, { family, look: window });
    const tries = markOverturned(all, policy);
    failed.push(...tries.filter((one) => one.failed));
    for (const seen of findCauses(await markFollowers(ctx.db, tries), policy)) {
      const found = withAnyValue(seen, tries, ctx.config.policy.observe.recoveryWithin);
      const made = await makeProposals(ctx, tries, window.global ? { ...found, scope: { kind: "global" } } : found);
      for (const one of made) if (!proposals.some((other) => isSameRule(other, one))) proposals.push(one);
    }
  }
  const inFolders = await mineScriptFolders(
    { ...ctx, config: { ...ctx.config, policy: { ...ctx.config.policy, distil: policy } } },
    failed,
  );
  const others = proposals.filter((one) => !inFolders.some((better) => isOfSameCalls(one, better)));
  return { proposals: [...others, ...inFolders], groups: [...groups.values()] };
}

/** At least one family; those beyond the limit wait for the next run. */
async function limitFamilies(
  db: Context["db"],
  families: readonly CommandFamily[],
  calls: number,
): Promise<readonly CommandFamily[]> {
  if (calls === Infinity) return families;
  const taken: CommandFamily[] = [];
  let sum = 0;
  for (const family of families) {
    const groups: TryGroup[] = [];
    for (const group of family) groups.push(await getTryGroup(db, group));
    sum += countTriesIn(groups, MAX_GROUP_CALLS);
    if (taken.length > 0 && sum > calls) break;
    taken.push(family);
  }
  return taken;
}

/** Each call once, under the head that its error blames, if any. */
async function loadFamily(
  db: Context["db"],
  family: readonly string[],
  window: MiningWindow,
): Promise<readonly GroupTry[]> {
  const byEvent = new Map<number, GroupTry>();
  for (const group of family)
    for (const one of await loadGroup(db, group, window)) {
      if (!isInWindow(one, window)) continue;
      const known = byEvent.get(one.event.id);
      if (known === undefined || one.cause?.blamed === one.head) byEvent.set(one.event.id, one);
    }
  return withKnownVariables([...byEvent.values()].toSorted((a, b) => a.event.id - b.event.id));
}

/** If another spelling of the program failed for the same option, adds all its calls: one mistake, one rule. */
async function addSameOption(
  db: Context["db"],
  tries: readonly GroupTry[],
  { family, look: window }: { readonly family: CommandFamily; readonly look: MiningWindow },
): Promise<readonly GroupTry[]> {
  const optionOf = ({ failed, cause, head, key }: GroupTry) => {
    const program = failed && cause?.kind === "unknown-option" ? findLooseProgram(head) : null;
    return program === null ? null : `${program} ${key}`;
  };
  const options = new Set(tries.flatMap((one) => optionOf(one) ?? []));
  if (options.size === 0) return tries;
  const programs = new Set(tries.flatMap((one) => (optionOf(one) === null ? [] : (findLooseProgram(one.head) ?? []))));
  const byEvent = new Map(tries.map((one) => [one.event.id, one]));
  for (const { group } of await listGroupsToMine(db, 1, false)) {
    if (family.includes(group) || !programs.has(findLooseProgram(parseGroupHead(group)) ?? "")) continue;
    const others = (await loadGroup(db, group, window)).filter((one) => isInWindow(one, window));
    const isSame = (one: GroupTry) => options.has(optionOf(one) ?? "");
    if (!others.some(isSame)) continue;
    for (const one of others)
      if ((!one.failed || isSame(one)) && !byEvent.has(one.event.id)) byEvent.set(one.event.id, one);
  }
  return [...byEvent.values()].toSorted((a, b) => a.event.id - b.event.id);
}

/** If another program that reads files missed the same path, adds its calls with that path: one cause, one rule. */
async function addSamePath(
  db: Context["db"],
  tries: readonly GroupTry[],
  { family, look: window }: { readonly family: CommandFamily; readonly look: MiningWindow },
): Promise<readonly GroupTry[]> {
  const paths = new Set(tries.flatMap((one) => findMissedPath(one) ?? []));
  if (paths.size === 0) return tries;
  const names = [...paths].map(lastSegment);
  const isNamed = ({ event }: TriedEvent) => {
    const text = JSON.stringify(event.input) ?? "";
    return names.some((name) => text.includes(name));
  };
  const byEvent = new Map(tries.map((one) => [one.event.id, one]));
  for (const group of fileReaders) {
    if (family.includes(makeCallGroup("bash", group))) continue;
    const rows = (await listTries(db, makeCallGroup("bash", group), MAX_SAME_PATH_CALLS)).filter(isNamed);
    const others = toGroupTries(makeCallGroup("bash", group), rows).filter((one) => isInWindow(one, window));
    const isSame = (one: GroupTry) => paths.has(findMissedPath(one) ?? "");
    if (!others.some(isSame)) continue;
    for (const one of others)
      if ((!one.failed || isSame(one)) && !byEvent.has(one.event.id)) byEvent.set(one.event.id, one);
  }
  return [...byEvent.values()].toSorted((a, b) => a.event.id - b.event.id);
}

const MAX_SAME_PATH_CALLS = 500;

function isSameRule(a: Proposal, b: Proposal): boolean {
  return stableJson([a.matcher, a.scope]) === stableJson([b.matcher, b.scope]);
}

function isInWindow({ event }: GroupTry, window: MiningWindow): boolean {
  return (
    event.at >= window.sinceIn(event.workspace) &&
    (window.workspace === null || scopeCovers({ kind: "workspace", workspace: window.workspace }, event.workspace))
  );
}

async function loadGroup(db: Context["db"], group: string, window: MiningWindow): Promise<readonly GroupTry[]> {
  const latest = await listTries(db, group, MAX_GROUP_CALLS);
  const isCut = latest.length === MAX_GROUP_CALLS && window.calls === Infinity;
  const others = isCut ? await listTriesByWorkspace(db, group, { least: MIN_FAILURES, limit: MAX_GROUP_CALLS }) : [];
  return toGroupTries(group, [...new Map([...latest, ...others].map((row) => [row.event.id, row])).values()]);
}

function toGroupTries(group: string, rows: readonly TriedEvent[]): readonly GroupTry[] {
  const head = parseGroupHead(group);
  return rows.flatMap(({ event, result, state }) => {
    if (result === "unclear") return [];
    const failed = result === "failed";
    const cause = failed ? detectCause(event, event.error ?? "") : null;
    // Another command of the line failed, so this shows nothing about this one.
    if (head !== null && cause?.blamed != null && cause.blamed !== head) return [];
    if (failed && head !== null && isOfScript(event, head, cause)) return [];
    if (failed && cause === null && isOwnException(event.error ?? "")) return [];
    const step = parseSteps(event).find((one) => makeCallGroup(event.tool, one.head) === group);
    const traits =
      state.length === 0 && step !== undefined ? step.traits : new Set([...(step?.traits ?? []), ...state]);
    const session = `${event.host} ${event.session}`;
    const folder = findScriptFolder({ cause, traits });
    const key = cause === null ? `signature ${event.signature ?? ""}` : causeKey(cause, head, traits) + (folder ?? "");
    return [{ event, failed, session, traits, cause, head, key }];
  });
}

/** One rule, or the rules of single workspaces if only they know what works instead. */
async function makeProposals(
  ctx: MinerContext,
  tries: readonly GroupTry[],
  found: FoundCause,
): Promise<readonly Proposal[]> {
  const made = await makeProposal(ctx, tries, found);
  if (made?.hasRemedy !== true && found.own !== undefined) {
    const own: MadeProposal[] = [];
    for (const one of found.own) {
      const ofWorkspace = await makeProposal(ctx, tries, one);
      if (ofWorkspace !== null) own.push(ofWorkspace);
    }
    if (made === null || own.some((one) => one.hasRemedy)) return own.map(({ proposal }) => proposal);
  }
  return made === null ? [] : [made.proposal];
}

interface MadeProposal {
  readonly proposal: Proposal;
  readonly hasRemedy: boolean;
}

/** Null if facts say the same: they are checked on the disk, so they disappear when the thing exists. */
async function makeProposal(
  ctx: MinerContext,
  tries: readonly GroupTry[],
  found: FoundCause,
): Promise<MadeProposal | null> {
  const { condition, scope, cause, signature } = found;
  const { distil, observe } = ctx.config.policy;
  const ofScope = tries.filter((one) => scopeCovers(scope, one.event.workspace) && isCovered(found, one));
  const inScope = ofScope.filter((one) => one.overturned?.has(found.key) !== true);
  const lastWorked = ofScope.findLast((one) => !inScope.includes(one))?.event.at ?? null;
  const matching = inScope.filter((one) => holdsOf(condition, one.traits));
  const failures = matching.filter((one) => one.failed);
  const ofCause = failures.filter((one) => one.key === found.key);
  const matcher = withFolder(buildMatcher(found), found.folder);
  const named = { ...found, heads: headsToName(found, tries) };
  const [head] = named.heads;
  const isMissing = head !== undefined && cause !== null && isMissingProgram(cause, head);
  const name = head === undefined || isMissing ? head : withSharedStart(nameOf(head, failures), failures);
  const others = otherNames(named.heads, failures);
  const namedMatcher = {
    ...buildMatcher(named),
    ...(name === undefined || isMissing ? {} : { head: name, heads: others }),
  };
  const evidence = {
    ...(await makeCallEvidence(
      ctx.db,
      ofCause.map((one) => one.event),
    )),
    signatures: listSignatures(ofCause),
    ...(lastWorked === null ? {} : { overturned: lastWorked }),
  };
  const judge = newCauseJudge({ origin: "tool", matcher, evidence });
  const verdictOn = (one: GroupTry) => judge(one.event.error ?? "", one.event.signature);
  const right = failures.filter((one) => verdictOn(one) === "right");
  const isElsewhere = isFoundElsewhere(cause, right, inScope);
  // Another call found the thing, so the rule is about the very call that did not.
  if (isElsewhere && !condition.has.some((trait) => trait.startsWith(CALL_TRAIT)) && scope.kind === "workspace")
    return makeProposal(ctx, tries, asOneCall(found, failures));
  const examples = examplesIn(condition.has, failures);
  const { remedy, withheld } = await chooseRemedy(ctx.db, {
    found,
    named,
    name,
    matcher,
    tries: inScope,
    failures,
    right,
    isOfSeveral: others.length > 0 && new Set(found.heads.map(programOf)).size === 1,
    within: observe.recoveryWithin,
  });
  const following = [...listFollowingTraits(cause, remedy), ...listRepairTraits(cause, matching)];
  const ranBefore = await readRanBefore(ctx.db, following);
  const hasFollowed = ({ traits, event }: GroupTry) =>
    following.some((trait) => traits.has(trait)) || ranBefore(event).length > 0;
  const fired = matching.filter((one) => !hasFollowed(one) && (!one.failed || verdictOn(one) !== "neither"));
  const hits = right.filter((one) => fired.includes(one));
  const counts = { failed: hits.length, fired: fired.length };
  const lower = wilsonLower(hits.length, fired.length);
  if (remedy?.onlyFor != null) return makeProposal(ctx, tries, asOneCall(found, failures));
  if (remedy === null && isOfNetwork(cause?.kind ?? null)) return null;
  if (cause?.kind === "not-on-server" && !isMistakenForm(right, remedy)) return null;
  // `git pull` before a forced push would teach to force it.
  const isForced = condition.has.some((trait) => findTraitRisk(trait, head ?? null) !== null);
  if (isForced && cause?.kind === "behind-remote") return null;
  const worked = inScope.filter((one) => !one.failed);
  const lackOrigin = (trait: string) => findLackOrigin(trait, { failed: right, worked });
  const spoken = toSpokenMatcher(namedMatcher, (trait) => lackOrigin(trait) !== null);
  // What the failing calls lack is the remedy.
  const hasRemedy = remedy !== null || (spoken.lacks ?? []).length > 0;
  // The owner decides on what worked in one workspace; everywhere, a fact says the same.
  const isForOwner = withheld !== null && scope.kind === "workspace";
  const saysNothing = !hasRemedy && cause !== null && needsRemedy.has(cause.kind);
  const isSaidByFact = !hasRemedy && right.every(isAboutFact);
  if (!isForOwner && (saysNothing || isSaidByFact)) return null;
  // All calls that it matches, including failures with another cause.
  const tally = {
    hits: hits.length,
    falseAlarms: fired.length - hits.length,
    sessions: new Set(hits.map((one) => one.session)).size,
  };
  const isSilent =
    saysNothing ||
    isSaidByFact ||
    (cause === null ? !saysWhatToDo({ matcher: spoken, remedy }) : isAccidentalCause(cause));
  const most = isPassing(cause?.kind ?? null) ? "advise" : "nudge";
  const folder = findFolderExample(right);
  const tried = cause?.kind === "missing-path" ? listTriedPrograms(right) : [];
  const sentenceWith = (taught: Remedy | null) =>
    cause === null
      ? ruleSentence({ matcher: spoken, scope, ...counts, remedy: taught, examples })
      : causeSentence({
          cause,
          matcher: spoken,
          scope,
          ...counts,
          instead: taught,
          examples,
          folder,
          tried,
          isElsewhere,
        });
  const proposal: Proposal = {
    miner: "failures",
    text: withTypedOptions(sentenceWith(remedy), condition.has, failures),
    signature,
    matcher: withLacks(matcher, following),
    scope,
    origin: "tool",
    level: isSilent ? "watch" : softerLevel(proposedLevel(tally, distil), most),
    confidence: Number(lower.toFixed(4)),
    evidence: {
      ...evidence,
      remedy: makeRuleRemedy(
        { cause, remedy, withheld, lacks: (spoken.lacks ?? []).map(lackOrigin), failures: right },
        sentenceWith,
      ),
    },
    ...(remedy?.isNewest === true ? { hasNewestAdvice: true } : {}),
    calls: new Set(ofCause.map((one) => callKey(one.event))),
    backtest: {
      opportunities: inScope.length,
      fired: fired.length,
      hits: tally.hits,
      falseAlarms: tally.falseAlarms,
      precision: fired.length === 0 ? 0 : hits.length / fired.length,
      lower,
    },
  };
  return { proposal, hasRemedy };
}

/** None if there are too many to tell others from them. */
function listSignatures(failures: readonly GroupTry[]): readonly string[] {
  const all = [...new Set(failures.flatMap(({ event }) => event.signature ?? []))];
  return all.length > MOST_SIGNATURES ? [] : all;
}

const MOST_SIGNATURES = 20;

/** The same cause in the one call that failed: what worked instead says nothing about others. */
function asOneCall(found: FoundCause, failures: readonly GroupTry[]): FoundCause {
  const call = [...(failures[0]?.traits ?? [])].filter((trait) => trait.startsWith(CALL_TRAIT));
  return { ...found, condition: { ...found.condition, has: call, lacks: [] } };
}

/** For a trait with masked numbers, an example: its value in the latest call. */
function examplesIn(traits: readonly string[], failures: readonly GroupTry[]): ReadonlyMap<string, string> {
  return new Map(
    traits.flatMap((trait) => {
      const [latest] = failures.flatMap((one) => literalsOf(trait, one.traits).slice(0, 1)).slice(-1);
      return latest === undefined ? [] : [[trait, latest] as const];
    }),
  );
}

/** True for a missing path, script or program. Without a remedy, a rule adds nothing to the fact. */
function isAboutFact({ event, cause }: GroupTry): boolean {
  if (cause === null || !absenceCauses.has(cause.kind)) return false;
  return findFactsInFailure(event, event.error ?? "").length > 0;
}

/** Without what works instead, a rule about these says nothing that helps. */
const needsRemedy: ReadonlySet<string> = new Set(["unset-variable", "diverged", "wrong-program"]);

const absenceCauses: ReadonlySet<string> = new Set(["missing-path", "unknown-script", "missing-program"]);

function isCovered({ heads, folder, except = [] }: FoundCause, one: GroupTry): boolean {
  return (
    (folder === null || one.traits.has(folder)) &&
    (one.head === null || heads.includes(one.head)) &&
    !except.some((scope) => scopeCovers(scope, one.event.workspace))
  );
}

function withFolder(matcher: Matcher, folder: string | null): Matcher {
  return folder === null ? matcher : { ...matcher, has: [...(matcher.has ?? []), folder].toSorted() };
}

function buildMatcher({ condition, heads, tool }: FoundCause): Matcher {
  const [head, ...others] = heads;
  return {
    tool: head === undefined ? tool : "shell",
    ...(head === undefined || head === "" ? {} : { head }),
    ...(others.length > 0 ? { heads: others } : {}),
    ...(condition.has.length > 0 ? { has: condition.has } : {}),
    ...(condition.lacks.length > 0 ? { lacks: condition.lacks } : {}),
  };
}
