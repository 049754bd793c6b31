import { logLikelihood, type SessionCount } from "./clusters.ts";
import { averageLogEvidence, alternativeRatios, type EProcess } from "./e-process.ts";

/**
 * A Bayesian model of the rates with and without the rule, from sessions before it, with it and in its control group.
 */
export interface RateModel extends EProcess {
  /** The ratio of attempts with the rule to those without it, with its 95 % interval, and the share without it. */
  ratio(): { readonly low: number; readonly middle: number; readonly high: number; readonly without: number };
}

/**
 * Compares how well a changed and an unchanged rate explain the sessions since. Both are averaged over possible base
 * rates and correlations, and over the usual drift of rates (`drift`). A control group, if there is one, shows the
 * actual drift. Seldom wrong on average over rules; needs no random assignment.
 */
export function rateModel(drift: number): RateModel {
  const before = Float64Array.from(prior);
  const since = ratios.map(() => new Float64Array(grid.length));
  const heldOut = new Float64Array(grid.length);
  let drifted: Float64Array | null = null;
  const treated = new Map<string, { readonly session: SessionCount; count: number }>();
  const sum = new Float64Array(grid.length);
  const explained = (log: Float64Array) => {
    drifted ??= afterDrift(before, drift);
    for (let cell = 0; cell < sum.length; cell++) sum[cell] = (drifted[cell] ?? 0) + (log[cell] ?? 0);
    return averageLogEvidence(sum);
  };
  return {
    add: (session) => {
      if (session.opportunities === 0) return;
      const tables = alternativeTables(session);
      if (session.arm === "before") {
        addAll(before, tables[0]);
        drifted = null;
        return;
      }
      since.forEach((log, at) => addAll(log, tables[session.arm === "treated" ? at : 0]));
      if (session.arm === "held-out") {
        addAll(heldOut, tables[0]);
        return;
      }
      const key = `${session.opportunities} ${session.attempts}`;
      const same = treated.get(key) ?? { session, count: 0 };
      same.count += 1;
      treated.set(key, same);
    },
    logEvidence: () => {
      const [unchanged = 0, ...changed] = since.map(explained);
      const logs = changed.map((log) => log - unchanged);
      return {
        works: logs.slice(0, alternativeRatios.works.length),
        harmful: logs.slice(alternativeRatios.works.length),
      };
    },
    ratio: () => {
      drifted ??= afterDrift(before, drift);
      const base = drifted.map((known, cell) => known + (heldOut[cell] ?? 0));
      const sessions = [...treated.values()].map(({ session, count }) => ({ tables: posteriorTables(session), count }));
      const weights = logRatios.map((log, at) => {
        sum.set(base);
        for (const { tables, count } of sessions) addAll(sum, tables[at], count);
        return averageLogEvidence(sum) - 0.5 * (log / RATIO_SPREAD) ** 2;
      });
      return { ...quantiles(weights), without: meanShare(base) };
    },
  };
}

/** The prior standard deviation of the log ratio. */
const RATIO_SPREAD = 2;
const RATIO_STEP = 0.15;
const logRatios = Array.from({ length: 61 }, (_, at) => -5 + at * RATIO_STEP);

/** The quantiles of a distribution over the ratios, given as logs up to a constant. */
function quantiles(logs: readonly number[]): { readonly low: number; readonly middle: number; readonly high: number } {
  const most = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const at = (q: number) => {
    let left = q * total;
    const cell = weights.findIndex((weight) => {
      if (left <= weight) return true;
      left -= weight;
      return false;
    });
    const within = left / (weights[cell] ?? 1) - 0.5;
    return Math.exp((logRatios[cell] ?? 0) + within * RATIO_STEP);
  };
  return { low: at(0.025), middle: at(0.5), high: at(0.975) };
}

function meanShare(logs: Float64Array): number {
  const most = Math.max(...logs);
  let [sum, total] = [0, 0];
  logs.forEach((log, cell) => {
    const weight = Math.exp(log - most);
    sum += weight * (grid[cell]?.share ?? 0);
    total += weight;
  });
  return sum / total;
}

const ratios = [1, ...alternativeRatios.works, ...alternativeRatios.harmful];
const STEP = 0.3;
const STEPS = 32;
const likenesses = [0.03, 0.2, 0.5];
/** Shares evenly spaced in log odds, for each correlation. */
const grid = likenesses.flatMap((alike) =>
  Array.from({ length: STEPS }, (_, at) => ({ alike, share: 1 / (1 + Math.exp(5.5 - at * STEP)) })),
);
/** Jeffreys' prior of a share. */
const prior = grid.map(({ share }) => 0.5 * Math.log(share * (1 - share)));

/** What the sessions before say about the rates now: the same, spread by the drift. */
function afterDrift(before: Float64Array, drift: number): Float64Array {
  const bell = (apart: number, width: number) => Math.exp(-0.5 * (apart / width) ** 2) / width;
  // Most rates stay about the same; occasionally one changes by far more.
  const kernel = Array.from({ length: STEPS }, (_, at) =>
    drift === 0 ? Number(at === 0) : 0.98 * bell(at * STEP, drift) + 0.02 * bell(at * STEP, 4 * drift),
  );
  const most = Math.max(...before);
  return before.map((_, cell) => {
    const first = cell - (cell % STEPS);
    let sum = 0;
    for (let other = 0; other < STEPS; other++)
      sum += Math.exp((before[first + other] ?? 0) - most) * (kernel[Math.abs(first + other - cell)] ?? 0);
    return most + Math.log(sum + 1e-300);
  });
}

/** Tables are cached for sessions with at most this many opportunities. */
const MOST_KEPT = 12;

/**
 * The likelihood of a session over the grid, for each ratio. Cached, because sessions are small and equal ones recur.
 */
function tabled(list: readonly number[]): (session: SessionCount) => readonly Float64Array[] {
  const kept = new Map<number, readonly Float64Array[]>();
  return (session) => {
    const key = session.opportunities * (MOST_KEPT + 1) + session.attempts;
    const found = session.opportunities <= MOST_KEPT ? kept.get(key) : undefined;
    if (found !== undefined) return found;
    const made = list.map((ratio) =>
      Float64Array.from(grid, ({ share, alike }) => logLikelihood(session, Math.min(0.97, share * ratio), alike)),
    );
    if (session.opportunities <= MOST_KEPT) kept.set(key, made);
    return made;
  };
}

const alternativeTables = tabled(ratios);
const posteriorTables = tabled(logRatios.map(Math.exp));

function addAll(to: Float64Array, what: Float64Array | undefined, times = 1): void {
  for (let at = 0; at < to.length; at++) to[at] = (to[at] ?? 0) + times * (what?.[at] ?? 0);
}
