import type { BacktestTally } from "./promote.ts";

/** Fewer calls may be chance. */
const LEAST = 5;
/** An answer holds until its share of failures fell by a fifth. */
const WORSE = 0.8;

/** Whether the calls that a rule warns against work more often than they fail; and, since its owner last answered to that, worse than then. */
export function isMostlyWrong(now: BacktestTally, answered: BacktestTally | null): boolean {
  if (!isWrong(now)) return false;
  return answered === null || !isWrong(answered) || right(now) < WORSE * right(answered);
}

function isWrong(tally: BacktestTally): boolean {
  return tally.hits + tally.falseAlarms >= LEAST && tally.falseAlarms > tally.hits;
}

function right({ hits, falseAlarms }: BacktestTally): number {
  return hits / (hits + falseAlarms);
}
