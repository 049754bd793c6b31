import { canBeginTrial } from "../src/domain/rule/delivery/holdout.ts";
import { defaultPolicy, type Policy } from "../src/domain/policy.ts";
import { callsPerOpportunity, toOpportunities } from "../src/domain/proof/exposure.ts";
import { poolFamily } from "../src/domain/proof/family.ts";
import { type Random, makeRandom } from "../src/lib/random.ts";
import { type ProofSession, type RunningProof, newRunningProof, type Verdict } from "../src/domain/proof/proof.ts";

export interface SimulationOptions {
  readonly rules: number;
  readonly days: number;
  readonly seed: number;
  /**
   * True ratios of attempts with the rule to attempts without it, each for an equal share of the rules; 1 is no effect.
   */
  readonly ratios: readonly number[];
  /** Days of counting before the rule exists. */
  readonly daysBefore?: number;
  /** The period before the rule has at least this many attempts, as for real rules. This selection favours the rule. */
  readonly attemptsBefore?: number;
  /** Once the rule is in force, rates change by this factor for reasons other than the rule. */
  readonly drift?: number;
  readonly opportunitiesPerDay?: readonly [least: number, most: number];
  /** For rules whose situation is visible only by the mistake: calls are drawn and converted to opportunities. */
  readonly byCalls?: boolean;
  readonly policy?: Policy["distil"];
}

export interface SimulatedGroup {
  readonly ratio: number;
  readonly rules: number;
  /** Share of rules that ever had this verdict. */
  readonly ever: Readonly<Record<Verdict, number>>;
  /** Median day of the first such verdict, over the rules that reached it. */
  readonly medianDays: Readonly<Record<Exclude<Verdict, "not enough data">, number | null>>;
  /** Share of 95 % intervals that contain the true ratio: at the last look, and when stopping at the first verdict. */
  readonly covered: { readonly last: number; readonly stopped: number };
  /** The same for the always-valid interval: at the last look, and at every look. */
  readonly coveredAlways: { readonly last: number; readonly every: number };
}

export interface Simulated {
  readonly rules: number;
  readonly days: number;
  readonly heldOut: number;
  readonly groups: readonly SimulatedGroup[];
  /** Both error rates for rules without effect, and how often real effects are found. */
  readonly judged: {
    readonly falseWorks: number | null;
    readonly falseHarmful: number | null;
    /**
     * Of rules that at least halve the attempts, the share ever called working; of those that add half or more,
     * harmful.
     */
    readonly foundWorking: number | null;
    readonly foundHarmful: number | null;
    /** Share of all 95 % intervals that contain the true ratio at the last look. */
    readonly covered: number;
  };
}

/**
 * Simulates rules whose true effect is known, judged every day: how often the verdict is wrong, whether the intervals
 * contain the truth, how long a verdict takes. Base rates are 1 to 60 %, opportunities are Poisson, and calls of one
 * session are correlated to a varying degree.
 */
export function simulateProof(options: SimulationOptions): Simulated {
  const random = makeRandom(options.seed);
  const lives = Array.from({ length: options.rules }, (_, at) =>
    simulateLife(random, options.ratios[at % options.ratios.length] ?? 1, options),
  );
  const share = (of: (ratio: number) => boolean, is: (life: Life) => boolean): number | null => {
    const those = lives.filter((life) => of(life.ratio));
    return those.length === 0 ? null : those.filter(is).length / those.length;
  };
  const ever = (verdict: Verdict) => (life: Life) => life.firstDay[verdict] !== undefined;
  return {
    rules: options.rules,
    days: options.days,
    heldOut: lives.filter((life) => life.isHeldOut).length / lives.length,
    judged: {
      falseWorks: share((ratio) => ratio === 1, ever("works")),
      falseHarmful: share((ratio) => ratio === 1, ever("harmful")),
      foundWorking: share((ratio) => ratio <= 0.5, ever("works")),
      foundHarmful: share((ratio) => ratio >= 1.5, ever("harmful")),
      covered:
        share(
          () => true,
          (life) => life.covered,
        ) ?? 0,
    },
    groups: options.ratios.map((ratio) =>
      summarise(
        ratio,
        lives.filter((life) => life.ratio === ratio),
      ),
    ),
  };
}

interface Life {
  readonly ratio: number;
  readonly isHeldOut: boolean;
  readonly firstDay: Partial<Record<Verdict, number>>;
  readonly covered: boolean;
  readonly coveredWhenStopped: boolean;
  readonly alwaysAtLast: boolean;
  readonly alwaysAtEvery: boolean;
}

function simulateLife(random: Random, ratio: number, options: SimulationOptions): Life {
  const { proof, truth, isHeldOut, step } = makeSimulatedRule(random, ratio, options);
  const firstDay: Partial<Record<Verdict, number>> = {};
  let coveredWhenStopped: boolean | null = null;
  let alwaysAtEvery = true;
  for (let day = 1; day <= options.days; day++) {
    if (!step()) continue;
    const verdict = proof.verdict();
    firstDay[verdict] ??= day;
    if (coveredWhenStopped === null && verdict !== "not enough data") {
      const { effect } = proof.conclude();
      coveredWhenStopped = effect === null || isWithin(effect, truth);
    }
    const always = proof.always();
    if (always !== null && !isWithin(always, truth)) alwaysAtEvery = false;
  }
  const last = proof.conclude();
  const covered = last.effect === null || isWithin(last.effect, truth);
  return {
    ratio,
    isHeldOut,
    firstDay,
    covered,
    coveredWhenStopped: coveredWhenStopped ?? covered,
    alwaysAtLast: last.always === null || isWithin(last.always, truth),
    alwaysAtEvery,
  };
}

export interface SimulatedFamilies {
  readonly ratio: number;
  readonly families: number;
  readonly ever: Readonly<Record<Verdict, number>>;
  /** Share of members with a verdict at the last look: by themselves, and with their family's data. */
  readonly decidedAlone: number;
  readonly decidedTogether: number;
  /** Share of the members' shrunk intervals that contain the true ratio at the last look. */
  readonly covered: number;
}

/** Simulates families of rules, each rule too rare to be judged alone, judged every week. */
export function simulateFamilies(
  options: Omit<SimulationOptions, "rules"> & { readonly families: number; readonly members: number },
): readonly SimulatedFamilies[] {
  const random = makeRandom(options.seed);
  const policy = options.policy ?? defaultPolicy.distil;
  return options.ratios.map((ratio) => {
    const ever = { works: 0, "no effect": 0, harmful: 0, "not enough data": 0 };
    let [alone, together, covered] = [0, 0, 0];
    for (let at = 0; at < options.families; at++) {
      const rules = Array.from({ length: options.members }, () => makeSimulatedRule(random, ratio, options));
      const pooled = () =>
        poolFamily(
          rules.map(({ proof }, id) => ({ id: String(id), proof: proof.conclude() })),
          policy,
        );
      const seen = new Set<Verdict>();
      for (let day = 1; day <= options.days; day++) {
        for (const rule of rules) rule.step();
        if (day % 7 === 0) seen.add(pooled()?.verdict ?? "not enough data");
      }
      for (const verdict of seen) ever[verdict] += 1 / options.families;
      const members = pooled()?.members ?? [];
      alone += members.filter((one) => one.verdict !== "not enough data" && !one.byFamily).length;
      together += members.filter((one) => one.verdict !== "not enough data").length;
      covered += members.filter((one, id) => isWithin(one, rules[id]?.truth ?? ratio)).length;
    }
    const all = options.families * options.members;
    return {
      ratio,
      families: options.families,
      ever,
      decidedAlone: alone / all,
      decidedTogether: together / all,
      covered: covered / all,
    };
  });
}

interface SimulatedRule {
  readonly proof: RunningProof;
  /** The true ratio, limited because a rate cannot exceed 98 %. */
  readonly truth: number;
  readonly isHeldOut: boolean;
  /** Simulates one day. Returns true if there was a session. */
  step(): boolean;
}

function makeSimulatedRule(random: Random, ratio: number, options: SimulationOptionsOfOne): SimulatedRule {
  const policy = options.policy ?? defaultPolicy.distil;
  const { base, perDay, alike, expected } =
    options.byCalls === true ? drawCalls(random) : drawSituations(random, options);
  const daysBefore = options.daysBefore ?? 90;
  const isHeldOut = canBeginTrial({ id: "", level: "nudge", origin: "tool" }, expected * options.days, policy);
  const proof = newRunningProof({ oneIn: isHeldOut ? policy.holdOutOneIn : null }, policy);
  const draw = (rate: number) => {
    const sizes = options.byCalls === true ? drawCallSessions(random, perDay) : drawOpportunitySessions(random, perDay);
    return Array.from(sizes, (size) => ({ size, attempts: drawAttempts(random, size, rate, alike) }));
  };
  const past = drawBefore(
    () => Array.from({ length: daysBefore }, () => draw(base)).flat(),
    options.attemptsBefore ?? (options.byCalls === true ? policy.minCount : 0),
  );
  const perOpportunity = callsPerOpportunity(past.map(({ size, attempts }) => ({ calls: size, attempts })));
  const add = (arm: ProofSession["arm"], { size, attempts }: Drawn) =>
    proof.add({
      arm,
      ...(options.byCalls === true
        ? toOpportunities({ calls: size, attempts }, perOpportunity)
        : { opportunities: size, attempts }),
    });
  for (const session of past) add("before", session);
  const rate = base * (options.drift ?? 1);
  const truth = Math.min(0.98, rate * ratio) / rate;
  const step = () => {
    const sessions = draw(rate * truth);
    for (const session of sessions) {
      const isControl = isHeldOut && random() < 1 / policy.holdOutOneIn;
      if (isControl) add("held-out", { ...session, attempts: drawAttempts(random, session.size, rate, alike) });
      else add("treated", session);
    }
    return sessions.length > 0;
  };
  return { proof, truth, isHeldOut, step };
}

interface Drawn {
  readonly size: number;
  readonly attempts: number;
}

/** Random properties of a rule: rate of attempts, amount per day, correlation within a session. */
interface DrawnRule {
  readonly base: number;
  readonly perDay: number;
  readonly alike: number;
  /** Opportunities per day, as they would be counted. */
  readonly expected: number;
}

function drawSituations(random: Random, options: SimulationOptionsOfOne): DrawnRule {
  const [least, most] = options.opportunitiesPerDay ?? [0.2, 5];
  const base = 0.01 * 60 ** random();
  const perDay = least * (most / least) ** random();
  return { base, perDay, alike: 0.5 * random(), expected: perDay };
}

/** From one attempt in 300 calls to one in ten; from half a session to six per day. */
function drawCalls(random: Random): DrawnRule {
  const base = 0.003 * 30 ** random();
  const perDay = 0.5 * 12 ** random();
  return { base, perDay, alike: 0.1 * random(), expected: perDay * MEAN_CALLS * base };
}

const MEAN_CALLS = 45;

type SimulationOptionsOfOne = Omit<SimulationOptions, "rules" | "seed" | "ratios">;

/** Draws the period before the rule, up to 50 times, until it has at least `wanted` attempts. */
function drawBefore(draw: () => readonly Drawn[], wanted: number): readonly Drawn[] {
  let best: readonly Drawn[] = [];
  for (let tries = 0; tries < 50; tries++) {
    best = draw();
    if (best.reduce((sum, session) => sum + session.attempts, 0) >= wanted) return best;
  }
  return best;
}

/** A day's opportunities, in sessions of one to five. */
function* drawOpportunitySessions(random: Random, perDay: number): Iterable<number> {
  for (let left = poisson(random, perDay); left > 0;) {
    const size = Math.min(left, 1 + Math.floor(random() ** 2 * 5));
    yield size;
    left -= size;
  }
}

/** Sessions of 5 to 125 calls, short ones more often. */
function* drawCallSessions(random: Random, perDay: number): Iterable<number> {
  for (let left = poisson(random, perDay); left > 0; left--) yield 5 + Math.floor(random() ** 2 * 120);
}

/** Beta-binomial by Pólya's urn: each attempt makes the next one more likely. */
function drawAttempts(random: Random, opportunities: number, rate: number, alike: number): number {
  let attempts = 0;
  for (let made = 0; made < opportunities; made++) {
    const chance = (rate * (1 - alike) + attempts * alike) / (1 - alike + made * alike);
    if (random() < chance) attempts++;
  }
  return attempts;
}

function summarise(ratio: number, lives: readonly Life[]): SimulatedGroup {
  const share = (is: (life: Life) => boolean) => lives.filter(is).length / Math.max(1, lives.length);
  const ever = (verdict: Verdict) => share((life) => life.firstDay[verdict] !== undefined);
  const days = (verdict: Verdict) => median(lives.flatMap((life) => life.firstDay[verdict] ?? []));
  return {
    ratio,
    rules: lives.length,
    ever: {
      works: ever("works"),
      "no effect": ever("no effect"),
      harmful: ever("harmful"),
      "not enough data": ever("not enough data"),
    },
    medianDays: { works: days("works"), "no effect": days("no effect"), harmful: days("harmful") },
    covered: { last: share((life) => life.covered), stopped: share((life) => life.coveredWhenStopped) },
    coveredAlways: { last: share((life) => life.alwaysAtLast), every: share((life) => life.alwaysAtEvery) },
  };
}

function isWithin(range: { readonly low: number; readonly high: number }, truth: number): boolean {
  return range.low <= truth && truth <= range.high;
}

function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}

function poisson(random: Random, mean: number): number {
  const end = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > end; product *= random()) count++;
  return count;
}
