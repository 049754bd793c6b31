import { plural } from "../../lib/text.ts";
import type { Policy } from "../policy.ts";
import { anytimeReach, change, changeRange, type Proof, type Verdict } from "./proof.ts";
import { averageLogEvidence } from "./e-process.ts";

/** Rules of one kind judged together, because each is too rare to be judged alone. */
export interface FamilyProof {
  readonly verdict: Verdict;
  readonly reason: string;
  /** For the centre of the family: attempts with the rules to attempts without them. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly members: readonly FamilyMember[];
}

export interface FamilyMember {
  readonly id: string;
  /** Shrunk towards the family's centre, the more the less is known about the rule itself. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly verdict: Verdict;
  readonly byFamily: boolean;
}

/** The minimum variance between members, because a few rules cannot show how different they are. */
const LEAST_SPREAD = 0.03;
const NORMAL_95 = 1.96;

/** Null if nothing in the family can be compared yet. */
export function poolFamily(
  rules: readonly { readonly id: string; readonly proof: Proof }[],
  policy: Policy["distil"],
): FamilyProof | null {
  const known = rules.flatMap(({ proof: { effect } }) => {
    if (effect === null) return [];
    const deviation = (Math.log(effect.high) - Math.log(effect.low)) / (2 * NORMAL_95);
    return [{ log: Math.log(effect.ratio), variance: deviation ** 2 }];
  });
  if (known.length === 0) return null;
  const spread = Math.max(LEAST_SPREAD, spreadOf(known));
  const { middle, variance } = middleOf(known, spread);
  const verdict = familyVerdict(rules, { middle, variance }, policy);
  const [low, high] = around(middle, variance);
  return {
    verdict,
    reason: `its own sessions are too few to judge; with ${plural(rules.length - 1, "other rule")} of its kind it is ${change(Math.exp(middle))} mistakes (${changeRange({ low, high })})`,
    ratio: Math.exp(middle),
    low,
    high,
    members: rules.map(({ id, proof }) =>
      member(id, proof, { middle, variance, spread, near: -Math.log(1 - policy.noEffectWithin), verdict }),
    ),
  };
}

interface Estimate {
  readonly log: number;
  readonly variance: number;
}

/** DerSimonian and Laird: the variance between the estimates beyond their own uncertainty. */
function spreadOf(known: readonly Estimate[]): number {
  const { middle } = middleOf(known, 0);
  const weights = known.map((one) => 1 / one.variance);
  const sum = total(weights);
  const squares = total(known.map((one) => (one.log - middle) ** 2 / one.variance));
  const scale = sum - total(weights.map((weight) => weight ** 2)) / sum;
  return scale > 0 ? Math.max(0, (squares - (known.length - 1)) / scale) : 0;
}

function middleOf(known: readonly Estimate[], spread: number): { readonly middle: number; readonly variance: number } {
  const weights = known.map((one) => 1 / (one.variance + spread));
  const sum = total(weights);
  return { middle: total(known.map((one, at) => one.log * (weights[at] ?? 0))) / sum, variance: 1 / sum };
}

/** The control group is drawn independently for each rule, so the stakes multiply: weak evidence per rule adds up. */
function familyVerdict(
  rules: readonly { readonly proof: Proof }[],
  family: { readonly middle: number; readonly variance: number },
  policy: Policy["distil"],
): Verdict {
  const near = -Math.log(1 - policy.noEffectWithin);
  const reach = anytimeReach(family.variance, policy.proofError);
  if (Math.abs(family.middle) + reach < near) return "no effect";
  const side = (name: "works" | "harmful") => {
    const [first] = rules;
    return averageLogEvidence(
      (first?.proof.stakes[name] ?? [0]).map((_, at) => total(rules.map((one) => one.proof.stakes[name][at] ?? 0))),
    );
  };
  const bar = Math.log(1 / policy.proofError);
  if (family.middle < 0 && side("works") >= bar) return "works";
  return family.middle > 0 && side("harmful") >= bar ? "harmful" : "not enough data";
}

function member(
  id: string,
  { effect, verdict }: Proof,
  family: {
    readonly middle: number;
    readonly variance: number;
    readonly spread: number;
    readonly near: number;
    readonly verdict: Verdict;
  },
): FamilyMember {
  const own = effect === null ? Infinity : ((Math.log(effect.high) - Math.log(effect.low)) / (2 * NORMAL_95)) ** 2;
  const trust = effect === null ? 0 : family.spread / (family.spread + own);
  const log = trust * Math.log(effect?.ratio ?? 1) + (1 - trust) * family.middle;
  const [low, high] = around(log, (1 - trust) * family.spread + (1 - trust) ** 2 * family.variance);
  const agrees = {
    works: high < 1,
    harmful: low > 1,
    "no effect": Math.abs(log) < family.near,
    "not enough data": false,
  };
  const byFamily = verdict === "not enough data" && agrees[family.verdict];
  return { id, ratio: Math.exp(log), low, high, verdict: byFamily ? family.verdict : verdict, byFamily };
}

function around(log: number, variance: number): readonly [low: number, high: number] {
  const reach = NORMAL_95 * Math.sqrt(variance);
  return [Math.exp(log - reach), Math.exp(log + reach)];
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
