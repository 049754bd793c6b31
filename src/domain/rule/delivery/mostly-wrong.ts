import type { BacktestTally } from "../promote.ts";

/** Fewer calls may be chance. */
const LEAST = 5;
/** The owner's decision holds until the share of failures falls by a fifth. */
const WORSE = 0.8;

/**
 * True if the calls that a rule warns against work more often than they fail. If the owner has already decided on this,
 * only if it became worse since.
 */
export function isMostlyWrong(now: BacktestTally, decided: BacktestTally | null): boolean {
  if (!isWrong(now)) return false;
  return decided === null || !isWrong(decided) || right(now) < WORSE * right(decided);
}

function isWrong(tally: BacktestTally): boolean {
  return tally.hits + tally.falseAlarms >= LEAST && tally.falseAlarms > tally.hits;
}

function right({ hits, falseAlarms }: BacktestTally): number {
  return hits / (hits + falseAlarms);
}
