import { isOfNetwork, isOfPerson } from "../../domain/cause/blame.ts";
import type { FailureCause } from "../../domain/cause/cause.ts";
import { certainTraits, isOfService, traitFilterFor } from "../../domain/cause/cause-traits.ts";
import { isOfProject } from "../../domain/cause/project-cause.ts";
import type { Policy } from "../../domain/policy.ts";
import { scopeCovers, type Scope } from "../../domain/rule/rule.ts";
import {
  type MatcherCondition,
  holdsOf,
  synthesiseCondition,
  type LabelledCall,
} from "../../domain/rule/matching/synthesis.ts";
import { branchCreating, isOfNewBranch } from "../../domain/rule/wording/spoken-matcher.ts";
import { ADDRESS_TRAIT, maskNumbers, SCRIPT_FOLDER_TRAIT } from "../../domain/shell/traits.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { TriedCall } from "../../store/derived/tries.ts";
import { asNarrowAsSeen, isEmpty, isOfWholeCommand, withSharedField } from "./as-narrow-as-seen.ts";
import { withScript } from "./by-script.ts";
import { findLackOrigin } from "./taught-traits.ts";
import { findUnsetCondition } from "./unset-variable.ts";

/** One call of a group, with all that mining needs to know about it. */
export interface GroupTry extends LabelledCall {
  readonly event: TriedCall;
  /** For a shell call, the head under which it is examined. */
  readonly head: string | null;
  /** For a failure, its cause if known. */
  readonly cause: FailureCause | null;
  /** Equal for failures with one cause. */
  readonly key: string;
  /** For a call that worked: the keys of causes whose advice its session had followed. */
  readonly follows?: ReadonlySet<string>;
  /** For a call that worked: the keys of causes for which such calls only fail since. */
  readonly overturned?: ReadonlySet<string>;
}

/** The condition that separates the failing calls of one cause, and its scope. */
export interface FoundCause {
  readonly cause: FailureCause | null;
  /** The key of its failures, as in `GroupTry`. */
  readonly key: string;
  readonly condition: Pick<MatcherCondition, "has" | "lacks" | "lower">;
  /** For a script that is unknown or lacks a variable: the trait of its folder. Another folder may be another package. */
  readonly folder: string | null;
  readonly scope: Scope;
  /** All spellings of the command, the most frequent first; empty for a tool that is not a shell. */
  readonly heads: readonly string[];
  readonly tool: string;
  /** The most frequent signature among them. */
  readonly signature: string | null;
  /** For a global rule: scopes in which a wider workspace rule speaks instead. */
  readonly except?: readonly Scope[];
  /** For a global rule: the causes in single workspaces that it stands for. */
  readonly own?: readonly FoundCause[];
}

/** At most this many rules for one cause in one scope. */
const MOST_RULES = 3;
/** A cause becomes global if it failed in this many workspaces and never worked in any. */
const GLOBAL_FROM = 3;

/** Causes by frequency, without those an earlier one implies. Network causes last, because they explain no others. */
export function findCauses(tries: readonly GroupTry[], policy: Policy["distil"]): readonly FoundCause[] {
  const found: FoundCause[] = [];
  const failures = [
    ...groupBy(
      tries.filter((one) => one.failed),
      (one) => one.key,
    ),
  ].toSorted((a, b) => isLast(a[1]) - isLast(b[1]) || b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  for (const [key, failed] of failures) {
    const about = tries.filter((one) => one.follows?.has(key) !== true && one.overturned?.has(key) !== true);
    const own = listScopes(failed).flatMap((scope) => findCausesIn(failed, about, { scope, policy }));
    const everywhere = findGlobalCause(failed, own, { tries: about, policy });
    const places = everywhere === null ? own : withGlobalCause(own, everywhere);
    for (const one of places) if (!found.some((known) => isImplied(known, one))) found.push(one);
  }
  return found;
}

function withGlobalCause(own: readonly FoundCause[], everywhere: FoundCause): readonly FoundCause[] {
  const implied = own.filter((one) => isImplied(everywhere, one));
  return [...own.filter((one) => !implied.includes(one)), { ...everywhere, own: implied }];
}

function isLast([first]: readonly GroupTry[]): number {
  return Number(isOfNetwork(first?.cause?.kind ?? null));
}

/** The outermost workspaces of these failures. Global only if none has a workspace. */
export function listScopes(
  failed: readonly { readonly event: { readonly workspace: string | null } }[],
): readonly Scope[] {
  const names = [...new Set(failed.map((one) => one.event.workspace))].toSorted(
    (a, b) => (a ?? "").length - (b ?? "").length,
  );
  const scopes: Scope[] = [];
  for (const name of names) {
    if (name === null) scopes.push({ kind: "global" });
    else if (!scopes.some((scope) => scope.kind === "workspace" && scopeCovers(scope, name)))
      scopes.push({ kind: "workspace", workspace: name });
  }
  // A rule from events without a workspace would apply in all of them.
  return scopes.length > 1 ? scopes.filter((scope) => scope.kind === "workspace") : scopes;
}

/** Workspaces with a wider rule keep it; the failures in the others make the global one. */
function findGlobalCause(
  failed: readonly GroupTry[],
  own: readonly FoundCause[],
  { tries, policy }: { readonly tries: readonly GroupTry[]; readonly policy: Policy["distil"] },
): FoundCause | null {
  const shared = failed.filter((one) => !isOfProject({ ...one, workspace: one.event.workspace }));
  if (listScopes(shared).length < GLOBAL_FROM) return null;
  for (const one of findCausesIn(shared, tries, { scope: { kind: "global" }, policy })) {
    const wider = own.filter((other) => isImplied({ ...other, scope: one.scope }, one) && !isImplied(one, other));
    const isElsewhere = (each: GroupTry) => !wider.some((other) => scopeCovers(other.scope, each.event.workspace));
    const fired = tries.filter(
      (each) => (each.head === null || one.heads.includes(each.head)) && holdsOf(one.condition, each.traits),
    );
    const elsewhere = fired.filter((each) => shared.includes(each) && isElsewhere(each));
    if (fired.every((each) => each.failed) && listScopes(elsewhere).length >= GLOBAL_FROM)
      return { ...one, except: wider.map((other) => other.scope) };
  }
  return null;
}

interface CauseScope {
  readonly scope: Scope;
  readonly policy: Policy["distil"];
}

function findCausesIn(
  all: readonly GroupTry[],
  tries: readonly GroupTry[],
  { scope, policy }: CauseScope,
): readonly FoundCause[] {
  const found: FoundCause[] = [];
  let open = all.filter((one) => scopeCovers(scope, one.event.workspace));
  const folder = open[0] === undefined ? null : findScriptFolder(open[0]);
  while (open.length >= policy.minCount && found.length < MOST_RULES) {
    const heads = listHeads(open);
    const worked = tries.filter(
      (one) =>
        !one.failed &&
        scopeCovers(scope, one.event.workspace) &&
        (one.head === null || heads.includes(one.head)) &&
        (folder === null || one.traits.has(folder)),
    );
    const separating = findCondition(open, worked, policy);
    const shape = separating === null ? null : withScript(separating, open);
    if (shape === null) break;
    const explained = open.filter((one) => holdsOf(shape, one.traits));
    const condition = withoutNewBranches(withSharedNumbers(shape, explained), explained);
    const [first] = explained;
    if (first === undefined) break;
    found.push({
      cause: explained.find(({ cause }) => cause !== null && namesUsage(cause))?.cause ?? first.cause,
      key: first.key,
      condition,
      folder,
      scope,
      heads: listHeads(explained),
      tool: first.event.tool,
      signature: findSignature(explained),
    });
    open = open.filter((one) => !explained.includes(one));
  }
  return found;
}

/** Hosts shorten errors: the usage that tells what to do is in some of them only. */
function namesUsage({ listedOptions, wrapperUsage }: FailureCause): boolean {
  return (listedOptions ?? wrapperUsage) !== undefined;
}

/** The trait of the folder in which an unknown script, or one without its variable, was run; null for other causes. */
export function findScriptFolder({ cause, traits }: Pick<GroupTry, "cause" | "traits">): string | null {
  if (cause?.kind !== "unknown-script" && cause?.kind !== "unset-variable") return null;
  return [...traits].find((trait) => trait.startsWith(SCRIPT_FOLDER_TRAIT)) ?? null;
}

function listHeads(tries: readonly GroupTry[]): readonly string[] {
  const counts = groupBy(
    tries.flatMap((one) => one.head ?? []),
    (head) => head,
  );
  return [...counts].toSorted((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1)).map(([head]) => head);
}

function findSignature(tries: readonly GroupTry[]): string | null {
  const counts = [...groupBy(tries, (one) => one.event.signature ?? "")].toSorted(
    (a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1),
  );
  return counts[0]?.[0] || null;
}

/** First the traits that the cause names with certainty; other traits only if they can explain the cause. */
function findCondition(
  failed: readonly GroupTry[],
  worked: readonly GroupTry[],
  policy: Policy["distil"],
): MatcherCondition | null {
  const [first] = failed;
  if (first === undefined) return null;
  const { cause } = first;
  if (cause?.kind === "unset-variable") return findUnsetCondition(failed, worked, policy);
  const choices = cause === null ? [] : listCertainTraits(failed);
  const namesAddress = ({ traits }: GroupTry) => [...traits].some((trait) => trait.startsWith(ADDRESS_TRAIT));
  const isSure =
    cause !== null && (needsCertainty.has(cause.kind) || (isOfService(cause.kind) && failed.some(namesAddress)));
  const sure = choices
    .flatMap((certain) => findConditionWith(certain, { failed, worked, policy }) ?? [])
    .toSorted((a, b) => b.lower - a.lower || b.hits - a.hits);
  // A trait that only some failures certainly have does not explain the others.
  return sure[0] ?? (isSure ? null : findConditionWith(null, { failed, worked, policy }));
}

function findConditionWith(
  certain: readonly string[] | null,
  {
    failed,
    worked,
    policy,
  }: Pick<CauseScope, "policy"> & { readonly [Key in "failed" | "worked"]: readonly GroupTry[] },
): MatcherCondition | null {
  const [first] = failed;
  if (first === undefined) return null;
  const { cause } = first;
  const has = (one: LabelledCall) => (certain ?? []).every((trait) => one.traits.has(trait));
  // If the path's state explains the failure, the file's name does not matter.
  const isExplained = cause?.kind === "missing-path" && certain !== null && certain.length > 0;
  const may = isExplained ? () => false : traitFilterFor(cause, first.head);
  const seen = (some: readonly GroupTry[]) =>
    some.map((one) => ({ ...one, traits: only(one.traits, cause === null ? isNoScriptFolder : may) }));
  const [hits, alarms] = [failed.filter(has), worked.filter(has)];
  const found = synthesiseCondition(seen(hits), seen(alarms), policy);
  const isUnexplained = certain === null && (cause === null || !(isAboutCommand(cause) || needsThing.has(cause.kind)));
  if (isUnexplained && (found === null || isOfWholeCommand(found)))
    return asNarrowAsSeen(found, { failed, worked, policy });
  if (isUnexplained && found !== null && (isNarrow(found, cause) || isDetour(found, { failed, worked }))) {
    const others = worked.filter(({ traits }) => !found.lacks.some((trait) => traits.has(trait)));
    const narrow = asNarrowAsSeen({ ...found, lacks: [] }, { failed, worked: others, policy });
    return narrow === null ? null : { ...narrow, lacks: found.lacks };
  }
  if (found === null) return null;
  const condition = { ...found, has: [...new Set([...(certain ?? []), ...found.has])].toSorted() };
  if (certain !== null)
    return certain.length === 0 && cause?.kind !== "unknown-subcommand"
      ? withSharedProgram(condition, hits)
      : condition;
  if (cause === null || !needsThing.has(cause.kind)) return condition;
  const narrow = isEmpty(condition) ? withScript(withSharedField(condition, failed), failed) : condition;
  // A module that another interpreter has: the path of that interpreter is what was missing.
  const isElsewhere = cause.kind === "missing-module" && narrow.lacks.some((trait) => trait.startsWith("program "));
  return narrow.has.length === 0 && !isElsewhere ? null : narrow;
}

/** True if the calls must be told apart as they were seen: what they may do, or what was run before them. */
function isNarrow({ has, lacks }: MatcherCondition, cause: FailureCause | null): boolean {
  return (
    isOfPerson(cause?.kind ?? null) ||
    (isOfWholeCommand({ has, lacks: [] }) && lacks.some((trait) => /^(?:after|sets|in|enters|under) /.test(trait)))
  );
}

/** True if only what agents must not be taught distinguishes the calls that worked: that explains no failure. */
function isDetour(
  { has, lacks }: MatcherCondition,
  calls: { readonly [Key in "failed" | "worked"]: readonly GroupTry[] },
): boolean {
  return isOfWholeCommand({ has, lacks: [] }) && lacks.every((trait) => findLackOrigin(trait, calls) === null);
}

/** If it was always run from the same place, nothing is known about other places. */
function withSharedProgram(condition: MatcherCondition, failed: readonly GroupTry[]): MatcherCondition {
  if (!isEmpty(condition)) return condition;
  const [first] = failed;
  const shared = [...(first?.traits ?? [])].filter(
    (trait) => trait.startsWith("program ") && failed.every((one) => one.traits.has(trait)),
  );
  return { ...condition, has: shared };
}

/** The sets of traits that failures certainly have, the most frequent first. */
function listCertainTraits(failed: readonly GroupTry[]): readonly (readonly string[])[] {
  const certain = failed.flatMap(({ cause, head, traits }) =>
    cause === null ? [] : certainTraits(cause, head, traits),
  );
  const counts = [...groupBy(certain, (traits) => JSON.stringify(traits))].toSorted(
    (a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1),
  );
  return counts.flatMap(([, [traits]]) => (traits === undefined ? [] : [traits])).slice(0, MOST_CHOICES);
}

const MOST_CHOICES = 4;

/** Without the trait that the error names, such calls cannot be distinguished from others. */
const needsCertainty: ReadonlySet<FailureCause["kind"]> = new Set([
  "unknown-option",
  "unknown-subcommand",
  "unknown-script",
  "unknown-value",
  "unknown-skill",
  "unknown-agent",
  "missing-program",
  "not-read",
  "changed-since-read",
  "no-change",
  "is-folder",
  "wrong-folder",
  "branch-exists",
]);

/** These fail because of an argument, never because of the command as a whole. */
const needsThing: ReadonlySet<FailureCause["kind"]> = new Set([
  "missing-path",
  "missing-module",
  "missing-ref",
  "text-not-found",
  "not-unique",
  "timed-out",
  "wrong-arguments",
  "wrong-quoting",
  "not-on-server",
  "unknown-field",
]);

const commandKinds: ReadonlySet<FailureCause["kind"]> = new Set([
  "not-running",
  "not-signed-in",
  "behind-remote",
  "locked",
  "no-upstream",
  "no-environment",
  "managed-environment",
  "workspace-root",
  "not-executable",
  "needs-value",
]);

function isAboutCommand(cause: FailureCause): boolean {
  return commandKinds.has(cause.kind);
}

/** It separates packages, not causes; `in web` says where other commands ran. */
function isNoScriptFolder(trait: string): boolean {
  return !trait.startsWith(SCRIPT_FOLDER_TRAIT);
}

function only(traits: ReadonlySet<string>, may: (trait: string) => boolean): ReadonlySet<string> {
  return new Set([...traits].filter(may));
}

/** If all failures had the same numbers, the condition keeps them: nothing is known about other numbers. */
function withSharedNumbers(condition: MatcherCondition, failed: readonly GroupTry[]): MatcherCondition {
  const shared = (trait: string) => {
    const [first, ...others] = failed.map((one) => literalsOf(trait, one.traits));
    return first?.find((literal) => others.every((some) => some.includes(literal)));
  };
  return { ...condition, has: condition.has.map((trait) => shared(trait) ?? trait).toSorted() };
}

/** A branch that is missing may be created: `git checkout -b master` is another call. */
function withoutNewBranches(condition: MatcherCondition, failed: readonly GroupTry[]): MatcherCondition {
  if (failed[0]?.cause?.kind !== "missing-ref") return condition;
  const lacks = branchCreating.filter((trait) =>
    failed.every(({ head, traits }) => isOfNewBranch(trait, head) && !traits.has(trait)),
  );
  return { ...condition, lacks: [...condition.lacks, ...lacks] };
}

/** A call's original traits for a trait with masked numbers; empty for a trait without masked numbers. */
export function literalsOf(trait: string, traits: ReadonlySet<string>): readonly string[] {
  return trait.includes("#") ? [...traits].filter((one) => one !== trait && maskNumbers(one) === trait) : [];
}

/** True if `known` applies wherever `other` does and is hardly less precise, so that `other` is not needed. */
function isImplied(known: FoundCause, other: FoundCause): boolean {
  const within = (a: readonly string[], b: readonly string[]) =>
    a.every((trait) => b.some((one) => one === trait || maskNumbers(one) === trait));
  return (
    within(other.heads, known.heads) &&
    (known.folder === null || known.folder === other.folder) &&
    within(known.condition.has, other.condition.has) &&
    within(known.condition.lacks, other.condition.lacks) &&
    (known.scope.kind === "global" ||
      (other.scope.kind === "workspace" && scopeCovers(known.scope, other.scope.workspace))) &&
    known.condition.lower >= other.condition.lower - MAX_LOSS
  );
}

const MAX_LOSS = 0.15;
