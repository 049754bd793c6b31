/**
 * The counts of one session. Sessions are the unit, because calls of one session are correlated: ten of them say less
 * than ten sessions.
 */
export interface SessionCount {
  readonly opportunities: number;
  readonly attempts: number;
}

/** Sums over sessions, sufficient to estimate the correlation within sessions. */
export interface ArmTally {
  sessions: number;
  opportunities: number;
  attempts: number;
  attemptsSquared: number;
  crossed: number;
  opportunitiesSquared: number;
}

export function newArmTally(): ArmTally {
  return { sessions: 0, opportunities: 0, attempts: 0, attemptsSquared: 0, crossed: 0, opportunitiesSquared: 0 };
}

export function addSession(tally: ArmTally, { opportunities, attempts }: SessionCount): void {
  tally.sessions += 1;
  tally.opportunities += opportunities;
  tally.attempts += attempts;
  tally.attemptsSquared += attempts * attempts;
  tally.crossed += attempts * opportunities;
  tally.opportunitiesSquared += opportunities * opportunities;
}

export function combineTallies(a: ArmTally, b: ArmTally): ArmTally {
  return {
    sessions: a.sessions + b.sessions,
    opportunities: a.opportunities + b.opportunities,
    attempts: a.attempts + b.attempts,
    attemptsSquared: a.attemptsSquared + b.attemptsSquared,
    crossed: a.crossed + b.crossed,
    opportunitiesSquared: a.opportunitiesSquared + b.opportunitiesSquared,
  };
}

/** The prior for the correlation, and its weight in pairs of calls. */
const EXPECTED = 0.2;
const WORTH = 25;

/** The correlation of two calls of one session, from 0 to 1, over all arms. */
export function correlation(tallies: readonly ArmTally[]): number {
  let excess = 0;
  let pairs = 0;
  for (const tally of tallies) {
    if (tally.opportunities === 0) continue;
    const p = attemptShare(tally);
    const spread = tally.attemptsSquared - 2 * p * tally.crossed + p * p * tally.opportunitiesSquared;
    // The share was fitted to the same sessions, which makes the spread look too small.
    const corrected = tally.sessions > 1 ? (spread * tally.sessions) / (tally.sessions - 1) : spread;
    const unit = p * (1 - p);
    excess += (corrected - tally.opportunities * unit) / unit;
    pairs += tally.opportunitiesSquared - tally.opportunities;
  }
  return Math.min(0.95, Math.max(0, (excess + EXPECTED * WORTH) / (pairs + WORTH)));
}

/** The counts reduced to the equivalent number of independent calls. */
export function effectiveCounts(tally: ArmTally, alike: number): { readonly hits: number; readonly misses: number } {
  if (tally.opportunities === 0) return { hits: 0, misses: 0 };
  const size = tally.opportunitiesSquared / tally.opportunities;
  const shrink = 1 + (size - 1) * alike;
  return { hits: tally.attempts / shrink, misses: (tally.opportunities - tally.attempts) / shrink };
}

/** Smoothed, so that it is never exactly 0 or 1. */
export function attemptShare(tally: Pick<ArmTally, "attempts" | "opportunities">): number {
  return (tally.attempts + 0.5) / (tally.opportunities + 1);
}

/** The beta-binomial log likelihood of a session's attempts, without the terms that are equal for all shares. */
export function logLikelihood({ opportunities, attempts }: SessionCount, share: number, alike: number): number {
  const p = share * (1 - alike);
  const q = (1 - share) * (1 - alike);
  let log = 0;
  let product = 1;
  for (let j = 0; j < opportunities; j++) {
    const over = 1 - alike + j * alike;
    product *= (j < attempts ? p + j * alike : q + (j - attempts) * alike) / over;
    if (product > 1e-200) continue;
    log += Math.log(product);
    product = 1;
  }
  return log + Math.log(product);
}
