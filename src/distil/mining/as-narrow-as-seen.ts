import { wilsonLower } from "../../domain/proof/wilson.ts";
import {
  holdsOf,
  type LabelledCall,
  type MatcherCondition,
  type SynthesisPolicy,
} from "../../domain/rule/matching/synthesis.ts";
import { ADDRESS_TRAIT, CALL_TRAIT, maskNumbers } from "../../domain/shell/traits.ts";
import { groupBy } from "../../lib/group-by.ts";

interface ComparedCalls {
  readonly failed: readonly (LabelledCall & { readonly head: string | null })[];
  readonly worked: readonly LabelledCall[];
  readonly policy: SynthesisPolicy;
}

/** With fewer different calls, nothing is known about others of the same command. */
const VARIED = 3;

/**
 * The condition for failures that neither their cause nor the calls that worked explain: what all of them share. If
 * only one or two different calls failed, it is about the one that failed most often. Null if that is too little.
 */
export function asNarrowAsSeen(
  found: MatcherCondition | null,
  { failed, worked, policy }: ComparedCalls,
): MatcherCondition | null {
  if (failed[0]?.head == null) return found === null ? null : withSharedField(found, failed);
  const calls = [...groupBy(failed, callOf)].toSorted((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  const [most] = calls;
  if (most === undefined || (found !== null && (most[0] === "" || calls.length >= VARIED)))
    return found === null ? null : withSharedArguments(found, { failed, worked });
  const [call, same] = most;
  const has = [call];
  const falseAlarms = worked.filter((one) => holdsOf({ has, lacks: [] }, one.traits)).length;
  const lower = wilsonLower(same.length, same.length + falseAlarms);
  const isSupported =
    same.length >= policy.minCount && new Set(same.map((one) => one.session)).size >= policy.minSessions;
  if (call === "" || !isSupported || lower < policy.proposePrecision) return null;
  return { has, lacks: [], hits: same.length, falseAlarms, lower };
}

export function isEmpty({ has, lacks }: Pick<MatcherCondition, "has" | "lacks">): boolean {
  return has.length + lacks.length === 0;
}

/** True if nothing but the program's path distinguishes it from other calls of its command. */
export function isOfWholeCommand({ has, lacks }: Pick<MatcherCondition, "has" | "lacks">): boolean {
  return lacks.length === 0 && has.every((trait) => trait.startsWith("program "));
}

/** For a tool that is not a shell: one value of a field that all failing calls have. */
export function withSharedField(condition: MatcherCondition, failed: readonly LabelledCall[]): MatcherCondition {
  return { ...condition, has: sharedBy(failed, /^\w+=/).toSorted().slice(0, 1) };
}

/** Empty for a call whose text is too long to be a trait. */
function callOf({ traits }: LabelledCall): string {
  return [...traits].find((trait) => trait.startsWith(CALL_TRAIT)) ?? "";
}

/** Null for a command as a whole that also worked: then its failures had a reason that is not known. */
function withSharedArguments(
  found: MatcherCondition,
  { failed, worked }: Omit<ComparedCalls, "policy">,
): MatcherCondition | null {
  const condition = { ...found, has: sharedArguments(failed) };
  return isOfWholeCommand(condition) && worked.some((one) => holdsOf(condition, one.traits)) ? null : condition;
}

/** Arguments, values, addresses, options and the program's path, without those that another one implies. */
function sharedArguments(failed: readonly LabelledCall[]): readonly string[] {
  const shared = sharedBy(failed, /^(?:arg|address|flag|program) /);
  return shared.filter((trait) => !shared.some((other) => other !== trait && implies(other, trait))).toSorted();
}

function implies(one: string, other: string): boolean {
  if (maskNumbers(one) === other) return true;
  if (!one.startsWith("arg ")) return false;
  const [option = "", ...value] = one.slice("arg ".length).split(" ");
  if (other.startsWith(ADDRESS_TRAIT)) return /^\w+:\/\//.test(option);
  return (
    option.startsWith("-") && (other === `flag ${option}` || (value.length > 0 && other === `arg ${value.join(" ")}`))
  );
}

function sharedBy(failed: readonly LabelledCall[], kind: RegExp): readonly string[] {
  const [first, ...others] = failed;
  return [...(first?.traits ?? [])].filter(
    (trait) => kind.test(trait) && others.every(({ traits }) => traits.has(trait)),
  );
}
