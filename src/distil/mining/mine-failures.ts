import type { Context } from "../../context.ts";
import { isOfNetwork } from "../../domain/cause/blame.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import { causeSentence } from "../../domain/cause/sentence.ts";
import { causeKey, isMissingProgram, isAccidentalCause } from "../../domain/cause/cause-traits.ts";
import { newCauseCheck } from "../../domain/cause/rule-cause.ts";
import { wilsonLower } from "../../domain/proof/wilson.ts";
import { findFactsInFailure } from "../../domain/fact/read-failure.ts";
import { proposedLevel } from "../../domain/rule/promote.ts";
import { ruleSentence } from "../../domain/rule/wording/rule-sentence.ts";
import { scopeCovers, type Matcher } from "../../domain/rule/rule.ts";
import { holdsOf } from "../../domain/rule/matching/synthesis.ts";
import { makeCallGroup, parseSteps } from "../../domain/shell/step.ts";
import { stableJson } from "../../lib/json.ts";
import {
  listGroupsToMine,
  getTryGroup,
  type TryGroup,
  countTriesIn,
  listTries,
  listTriesByWorkspace,
} from "../../store/derived/tries.ts";
import { isEmpty } from "./as-narrow-as-seen.ts";
import { isOfScript, nameOf } from "./by-script.ts";
import { type FoundCause, findCauses, type GroupTry, literalsOf } from "./find-causes.ts";
import { type CommandFamily, listFamiliesToMine, parseGroupHead, findLooseProgram } from "./families.ts";
import type { MiningWindow } from "./mining-window.ts";
import { callKey, makeCallEvidence, type Proposal } from "./proposal.ts";
import { findNearbyCommand, findOfferedOption, findSharedOption } from "./nearby-command.ts";
import { findRemedy } from "./find-remedy.ts";
import { findUsualSetting, withKnownVariables } from "./unset-variable.ts";
import { headsToName, otherNames, programOf, withoutHeads } from "./name-heads.ts";

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
  const all = await listFamiliesToMine(ctx.db, { least: policy.minCount, fresh: window.isIncremental });
  const proposals: Proposal[] = [];
  const groups = new Map<string, TryGroup>();
  for (const family of await limitFamilies(ctx.db, all, window.calls)) {
    for (const group of family) groups.set(group, await getTryGroup(ctx.db, group));
    const tries = await addSameOption(ctx.db, await loadFamily(ctx.db, family, window), { family, look: window });
    for (const found of findCauses(tries, policy)) {
      const proposal = await makeProposal(ctx, tries, window.global ? { ...found, scope: { kind: "global" } } : found);
      if (proposal !== null && !proposals.some((one) => isSameRule(one, proposal))) proposals.push(proposal);
    }
  }
  return { proposals, groups: [...groups.values()] };
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
  const head = parseGroupHead(group);
  const latest = await listTries(db, group, MAX_GROUP_CALLS);
  const isCut = latest.length === MAX_GROUP_CALLS && window.calls === Infinity;
  const others = isCut ? await listTriesByWorkspace(db, group, { least: MIN_FAILURES, limit: MAX_GROUP_CALLS }) : [];
  const rows = [...new Map([...latest, ...others].map((row) => [row.event.id, row])).values()];
  return rows.flatMap(({ event, result, state }) => {
    if (result === "unclear") return [];
    const failed = result === "failed";
    const cause = failed ? detectCause(event, event.error ?? "") : null;
    // Another command of the line failed, so this shows nothing about this one.
    if (head !== null && cause?.blamed != null && cause.blamed !== head) return [];
    if (failed && head !== null && isOfScript(event, head, cause)) return [];
    const step = parseSteps(event).find((one) => makeCallGroup(event.tool, one.head) === group);
    const traits =
      state.length === 0 && step !== undefined ? step.traits : new Set([...(step?.traits ?? []), ...state]);
    const session = `${event.host} ${event.session}`;
    const key = cause === null ? `signature ${event.signature ?? ""}` : causeKey(cause, head, traits);
    return [{ event, failed, session, traits, cause, head, key }];
  });
}

/** Null if facts say the same: they are checked on the disk, so they disappear when the thing exists. */
async function makeProposal(
  ctx: MinerContext,
  tries: readonly GroupTry[],
  found: FoundCause,
): Promise<Proposal | null> {
  const { condition, scope, cause, signature } = found;
  const { distil, observe } = ctx.config.policy;
  const inScope = tries.filter((one) => scopeCovers(scope, one.event.workspace) && isCovered(found, one));
  const fired = inScope.filter((one) => holdsOf(condition, one.traits));
  const failures = fired.filter((one) => one.failed);
  const ofCause = failures.filter((one) => one.key === found.key);
  const matcher = buildMatcher(found);
  const named = { ...found, heads: headsToName(found, tries) };
  const [head] = named.heads;
  const isMissing = head !== undefined && cause !== null && isMissingProgram(cause, head);
  const name = head === undefined || isMissing ? head : nameOf(head, failures);
  const others = otherNames(named.heads, failures);
  const namedMatcher = {
    ...buildMatcher(named),
    ...(name === undefined || isMissing ? {} : { head: name, heads: others }),
  };
  const evidence = await makeCallEvidence(
    ctx.db,
    ofCause.map((one) => one.event),
  );
  const isOfCause = newCauseCheck({ origin: "tool", matcher, evidence });
  const right = failures.filter((one) => isOfCause(one.event.error ?? ""));
  const counts = { failed: right.length, fired: fired.length };
  const lower = wilsonLower(right.length, fired.length);
  const examples = examplesIn(condition.has, failures);
  const within = observe.recoveryWithin;
  const isOfSeveral = others.length > 0 && new Set(found.heads.map(programOf)).size === 1;
  const nearby =
    cause === null || scope.kind === "global" || isOfSeveral
      ? null
      : findNearbyCommand(named, inScope, { within, name });
  const findWorking = () =>
    findRemedy(ctx.db, {
      failures: failures.map((one) => one.event.id),
      scope,
      within,
      heads: isEmpty(condition) ? found.heads : [],
      warned: { kind: cause?.kind ?? null, matcher },
    });
  const remedy =
    cause?.kind === "unset-variable"
      ? findUsualSetting(cause.thing ?? "", inScope)
      : isOfSeveral
        ? (findSharedOption(found, inScope, within) ?? withoutHeads(await findWorking(), found.heads))
        : nearby === null
          ? ((await findWorking()) ?? findOfferedOption(named, inScope, name))
          : { ...nearby, tool: null, value: null, through: null };
  if (remedy === null && isOfNetwork(cause?.kind ?? null)) return null;
  // What the failing calls lack is the remedy.
  const hasRemedy = remedy !== null || condition.lacks.length > 0;
  if (!hasRemedy && scope.kind === "workspace" && failures.every(isAboutFact)) return null;
  // All calls that it matches, including failures with another cause.
  const tally = {
    hits: right.length,
    falseAlarms: fired.length - right.length,
    sessions: new Set(right.map((one) => one.session)).size,
  };
  return {
    miner: "failures",
    text:
      cause === null
        ? ruleSentence({ matcher: namedMatcher, scope, ...counts, remedy, examples })
        : causeSentence({ cause, matcher: namedMatcher, scope, ...counts, instead: remedy, examples }),
    signature,
    matcher,
    scope,
    origin: "tool",
    level: cause !== null && isAccidentalCause(cause) ? "watch" : proposedLevel(tally, distil),
    confidence: Number(lower.toFixed(4)),
    evidence,
    calls: new Set(ofCause.map((one) => callKey(one.event))),
    backtest: {
      opportunities: inScope.length,
      fired: fired.length,
      hits: tally.hits,
      falseAlarms: tally.falseAlarms,
      precision: fired.length === 0 ? 0 : right.length / fired.length,
      lower,
    },
  };
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

const absenceCauses: ReadonlySet<string> = new Set(["missing-path", "unknown-script", "missing-program"]);

function isCovered({ heads, except = [] }: FoundCause, one: GroupTry): boolean {
  return (
    (one.head === null || heads.includes(one.head)) && !except.some((scope) => scopeCovers(scope, one.event.workspace))
  );
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
