import { percent } from "../../lib/percent.ts";
import { plural } from "../../lib/text.ts";
import { betaQuantile } from "./beta.ts";
import {
  addSession,
  correlation,
  effectiveCounts,
  newArmTally,
  attemptShare,
  type ArmTally,
  combineTallies,
} from "./clusters.ts";
import type { Policy } from "../policy.ts";
import {
  type Arm,
  failureEProcess,
  holdoutEProcess,
  averageLogEvidence,
  type LogEvidence,
  type EProcess,
  type ArmSession,
} from "./e-process.ts";
import { type RateModel, rateModel } from "./rate-model.ts";

/**
 * One session as the proof sees it, in order of time: how often the warned-against call could have been made, and was.
 * Count both arms in the same way: if a rule is shown only at the call, from the first call at which it was, or would
 * have been, shown.
 */
export interface ProofSession extends ArmSession {
  /** Failed calls in the whole session, to detect harm elsewhere. */
  readonly failures?: number | undefined;
}

export const verdicts = ["works", "no effect", "harmful", "not enough data"] as const;
export type Verdict = (typeof verdicts)[number];

/** Attempts with the rule to attempts without it; the 95 % interval is valid for a single look. */
export interface EffectEstimate {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly against: "held-out" | "before" | "both";
  readonly without: number;
  readonly with: number;
}

export interface Proof {
  readonly verdict: Verdict;
  readonly reason: string;
  /** From all data, allowing for drift. */
  readonly effect: EffectEstimate | null;
  /** Against the control group only. */
  readonly heldOut: EffectEstimate | null;
  /** Against the time before only. Includes the effect of everything else that changed since. */
  readonly beforeAfter: EffectEstimate | null;
  /**
   * The range of the ratio that is valid at all looks at once, so it is wider; null if there is nothing to compare yet.
   */
  readonly always: { readonly low: number; readonly high: number } | null;
  /** By which factor the stake has grown: the evidence for each side. */
  readonly evidence: { readonly works: number; readonly harmful: number };
  /** The current log stakes per alternative ratio; families add them up. */
  readonly stakes: LogEvidence;
  readonly arms: Readonly<
    Record<Arm, { readonly sessions: number; readonly opportunities: number; readonly attempts: number }>
  >;
}

/** How the comparison is made: one session in `oneIn` is held out at random, or (null) before against after. */
export interface TrialDesign {
  readonly oneIn: number | null;
}

/** Decides whether a rule works, from all sessions that met its situation. */
export function proveRule(sessions: readonly ProofSession[], design: TrialDesign, policy: Policy["distil"]): Proof {
  const proof = newRunningProof(design, policy);
  for (const session of sessions) proof.add(session);
  return proof.conclude();
}

export interface RunningProof {
  add(session: ProofSession): void;
  /** The verdict only, for frequent looks. */
  verdict(): Verdict;
  always(): Proof["always"];
  conclude(): Proof;
}

/** The same as `proveRule`, one session at a time. */
export function newRunningProof({ oneIn }: TrialDesign, policy: Policy["distil"]): RunningProof {
  const arms: Record<Arm, ArmTally> = { before: newArmTally(), treated: newArmTally(), "held-out": newArmTally() };
  const model = rateModel(policy.drift);
  const eProcess = chooseEProcess(model, oneIn);
  const failing = oneIn === null ? null : failureEProcess(oneIn);
  let hasFailures = false;
  const currentEvidence = () => {
    const { works, harmful } = eProcess.logEvidence();
    const rise = averageLogEvidence(harmful);
    return {
      works: averageLogEvidence(works),
      harmful: hasFailures && failing ? averageLogEvidence([rise, failing.logEvidence()]) : rise,
    };
  };
  const bar = Math.log(1 / policy.proofError);

  const alike = () => correlation(Object.values(arms));
  const always = () => alwaysRange(arms.treated, controlOf(arms, alike()), alike(), policy.proofError);
  const effectNow = (): EffectEstimate | null => {
    const { before, treated, "held-out": heldOut } = arms;
    if (treated.opportunities === 0 || before.opportunities + heldOut.opportunities === 0) return null;
    const { low, middle, high, without } = model.ratio();
    const against = heldOut.opportunities === 0 ? "before" : before.opportunities === 0 ? "held-out" : "both";
    return { ratio: middle, low, high, against, without, with: attemptShare(treated) };
  };
  const verdict = (): Verdict => {
    const range = always();
    const near = Math.log(1 - policy.noEffectWithin);
    if (range !== null && range.low > near && range.high < -near) return "no effect";
    const { works, harmful } = currentEvidence();
    if (Math.max(works, harmful) < bar) return "not enough data";
    // The stake says that there is an effect; the interval and the control group say in which direction. All must
    // agree.
    const effect = effectNow();
    if (works >= harmful) {
      return effect !== null && effect.high < 1 && compareHoldout(arms) >= 0 ? "works" : "not enough data";
    }
    const rose = effect !== null && effect.low > 1 && compareHoldout(arms) <= 0;
    return rose || (failing?.logEvidence() ?? 0) >= bar ? "harmful" : "not enough data";
  };
  return {
    add: (session) => {
      eProcess.add(session);
      addSession(arms[session.arm], session);
      if (session.failures !== undefined && failing !== null) {
        failing.add(session.arm, session.failures);
        hasFailures = true;
      }
    },
    verdict,
    always: () => asRatios(always()),
    conclude: () => {
      const found: Omit<Proof, "reason"> = {
        verdict: verdict(),
        effect: effectNow(),
        heldOut: effectOf(arms.treated, arms["held-out"], alike(), "held-out"),
        beforeAfter: effectOf(arms.treated, arms.before, alike(), "before"),
        always: asRatios(always()),
        evidence: { works: Math.exp(currentEvidence().works), harmful: Math.exp(currentEvidence().harmful) },
        stakes: eProcess.logEvidence(),
        arms: { before: counted(arms.before), treated: counted(arms.treated), "held-out": counted(arms["held-out"]) },
      };
      return { ...found, reason: reasonFor(found, policy) };
    },
  };
}

/**
 * With a control group, half the stake is on the random assignment, which needs no assumptions, and half on the rate
 * model, which needs fewer sessions.
 */
function chooseEProcess(model: RateModel, oneIn: number | null): EProcess {
  if (oneIn === null) return model;
  const holdout = holdoutEProcess(oneIn);
  const half = (a: readonly number[], b: readonly number[]) =>
    a.map((log, at) => averageLogEvidence([log, b[at] ?? 0]));
  return {
    add: (session) => {
      model.add(session);
      holdout.add(session);
    },
    logEvidence: () => {
      const [one, other] = [model.logEvidence(), holdout.logEvidence()];
      return { works: half(one.works, other.works), harmful: half(one.harmful, other.harmful) };
    },
  };
}

/** 1 if the control group attempts more than sessions with the rule, -1 if less, 0 if there is too little data. */
function compareHoldout({ treated, "held-out": heldOut }: Readonly<Record<Arm, ArmTally>>): number {
  return heldOut.opportunities < FEWEST ? 0 : Math.sign(attemptShare(heldOut) - attemptShare(treated));
}

/** What a rule saved: attempts avoided, and their cost. Only for a proven effect. */
export type Savings =
  | { readonly kind: "unproven" }
  | {
      readonly kind: "saved";
      readonly attempts: number;
      readonly cost: number;
      /** The 95 % interval of the cost. */
      readonly low: number;
      readonly high: number;
    };

export function computeSavings(proof: Pick<Proof, "verdict" | "effect" | "arms">, costPerAttempt: number): Savings {
  const { effect } = proof;
  // A family's proof does not count for a rule whose own sessions say the opposite.
  if (proof.verdict !== "works" || effect === null || effect.ratio >= 1) return { kind: "unproven" };
  const { opportunities } = proof.arms.treated;
  const avoided = (ratio: number) => opportunities * effect.without * (1 - ratio);
  return {
    kind: "saved",
    attempts: avoided(effect.ratio),
    cost: avoided(effect.ratio) * costPerAttempt,
    low: Math.max(0, avoided(effect.high)) * costPerAttempt,
    high: avoided(effect.low) * costPerAttempt,
  };
}

/** Combines the Beta intervals of both shares into one of the ratio (Zou and Donner's MOVER method). */
function effectOf(
  treated: ArmTally,
  control: ArmTally,
  alike: number,
  against: EffectEstimate["against"],
): EffectEstimate | null {
  if (treated.opportunities === 0 || control.opportunities === 0) return null;
  const [t, c] = [interval(treated, alike), interval(control, alike)];
  const log = t.middle - c.middle;
  return {
    ratio: Math.exp(log),
    low: Math.exp(log - Math.hypot(t.middle - t.low, c.high - c.middle)),
    high: Math.exp(log + Math.hypot(t.high - t.middle, c.middle - c.low)),
    against,
    without: Math.exp(c.middle),
    with: Math.exp(t.middle),
  };
}

/** On the log scale, with Jeffreys' prior. */
function interval(
  tally: ArmTally,
  alike: number,
): { readonly low: number; readonly middle: number; readonly high: number } {
  const { hits, misses } = effectiveCounts(tally, alike);
  const at = (q: number) => Math.log(betaQuantile(q, hits + 0.5, misses + 0.5));
  return { low: at(0.025), middle: at(0.5), high: at(0.975) };
}

/** The prior information about the log ratio; it makes the range narrowest for effects of this size. */
const PRIOR_INFORMATION = 1 / 0.6 ** 2;

/** The minimum number of opportunities for a comparison. */
const FEWEST = 10;

/** Robbins' normal mixture: a range for the log ratio that is valid at every look. Null if there is too little data. */
function alwaysRange(
  treated: ArmTally,
  control: ArmTally,
  alike: number,
  error: number,
): { readonly low: number; readonly high: number } | null {
  if (Math.min(treated.opportunities, control.opportunities) < FEWEST) return null;
  const reach = anytimeReach(logSpread(treated, alike) + logSpread(control, alike), error);
  const log = Math.log(attemptShare(treated) / attemptShare(control));
  return { low: log - reach, high: log + reach };
}

/** How far the true value may be from an estimate with this variance, valid at every look. */
export function anytimeReach(variance: number, error: number): number {
  const information = 1 / variance;
  const all = information + PRIOR_INFORMATION;
  return Math.sqrt((all / information ** 2) * Math.log(all / (PRIOR_INFORMATION * error ** 2)));
}

/** The variance of the log of a share. */
function logSpread(tally: ArmTally, alike: number): number {
  const { hits, misses } = effectiveCounts(tally, alike);
  return 1 / (hits + 0.5) - 1 / (hits + misses + 1);
}

/**
 * The control data. Held-out sessions are few; those before are many, but from another time, so both are combined only
 * if they agree. Rules are mined where attempts were frequent, so the time before rather overstates the rate: this
 * makes "no effect" harder to conclude, not easier.
 */
function controlOf({ before, "held-out": heldOut }: Readonly<Record<Arm, ArmTally>>, alike: number): ArmTally {
  if (heldOut.opportunities === 0) return before;
  const apart = Math.abs(Math.log(attemptShare(before) / attemptShare(heldOut)));
  const agrees = apart < 2 * Math.sqrt(logSpread(before, alike) + logSpread(heldOut, alike));
  return agrees ? combineTallies(before, heldOut) : heldOut;
}

function asRatios(range: { readonly low: number; readonly high: number } | null): Proof["always"] {
  return range && { low: Math.exp(range.low), high: Math.exp(range.high) };
}

function counted({ sessions, opportunities, attempts }: ArmTally): Proof["arms"]["treated"] {
  return { sessions, opportunities, attempts };
}

/** Uses the counted shares, so that they agree with the counts shown beside them. */
function reasonFor(
  { verdict, effect, always, arms }: Omit<Proof, "reason">,
  { noEffectWithin }: Policy["distil"],
): string {
  if (effect === null) return nothingToCompare(arms);
  const rates = [
    `${ofOpportunities(arms.treated)} with it`,
    ...(arms.before.opportunities > 0 ? [`${ofOpportunities(arms.before)} before it`] : []),
    ...(arms["held-out"].opportunities > 0 ? [`${ofOpportunities(arms["held-out"])} in its control group`] : []),
  ].join(", ");
  const range = changeRange(effect);
  if (verdict === "not enough data") return tooEarly(arms);
  if (verdict === "works") return `mistakes went down: ${rates} (${range})`;
  if (verdict === "harmful")
    return effect.low > 1
      ? `mistakes went up: ${rates} (${range})`
      : `more calls of all kinds fail in sessions that have the rule than in its control group`;
  return `its effect is less than ${percent(noEffectWithin)}: ${rates} (${changeRange(always ?? { low: 1, high: 1 })})`;
}

/** Plain counts: shares and their range say little while there are few. In chances, which are fewer than calls. */
function tooEarly({ before, treated, "held-out": heldOut }: Proof["arms"]): string {
  const counts = [
    `in ${treated.attempts} of ${plural(treated.opportunities, "chance")} with it`,
    ...(before.opportunities > 0 ? [`in ${before.attempts} of ${before.opportunities} before it`] : []),
    ...(heldOut.opportunities > 0 ? [`in ${heldOut.attempts} of ${heldOut.opportunities} in its control group`] : []),
  ];
  return `too early to say whether it helps: the mistake was made ${counts.join(", ")} (retries of one call are one chance)`;
}

function nothingToCompare({ before, treated, "held-out": heldOut }: Proof["arms"]): string {
  const seen = (arm: Proof["arms"]["treated"]) => plural(arm.opportunities, "chance");
  const isWith = treated.opportunities > 0;
  if (isWith) return `${seen(treated)} with it, and none without it to compare`;
  const without = before.opportunities + heldOut.opportunities;
  if (without === 0) return "no chance of the mistake yet, neither with it nor without it";
  return `no chance of the mistake with it yet, ${seen({ ...before, opportunities: without })} without it`;
}

function ofOpportunities({ attempts, opportunities }: Proof["arms"]["treated"]): string {
  return `${percent(attempts / opportunities)} of ${plural(opportunities, "chance")}`;
}

/** In words: "57 % to 75 % fewer". */
export function changeRange({ low, high }: { readonly low: number; readonly high: number }): string {
  const [from, to] = [change(low), change(high)];
  const unit = / (?:fewer|more|times as many)$/.exec(to)?.[0] ?? "";
  if (from.endsWith(unit)) return `${from.slice(0, -unit.length)} to ${to}`;
  return low < 1 ? `anything from ${from} to ${to} is possible` : `${from} to ${to}`;
}

/** In words: "75 % fewer". */
export function change(ratio: number): string {
  if (ratio >= 10) return `${ratio.toFixed(0)} times as many`;
  return ratio < 1 ? `${percent(1 - ratio)} fewer` : `${percent(ratio - 1)} more`;
}
