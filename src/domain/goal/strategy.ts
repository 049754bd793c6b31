import { groupBy } from "../../lib/group-by.ts";
import { contentWords } from "../text/similarity.ts";
import type { TaskAttemptState } from "./attempt.ts";

/** How often attempts of one goal that named the same strategy ended so, in the words of one of them. */
export interface StrategyTally {
  readonly goal: string;
  readonly strategy: string;
  readonly state: TaskAttemptState;
  readonly count: number;
}

export interface StrategyRecord {
  readonly strategy: string;
  readonly verified: number;
  readonly claimed: number;
  readonly failed: number;
  /** The share of verified attempts among those that a check has judged; null: none was. */
  readonly successRate: number | null;
}

/** A strategy that does not work. */
export interface FailingStrategy {
  readonly strategy: string;
  readonly failures: number;
}

/** The strategy in a text such as `Strategy: mock the clock. Outcome: it works.`, and in any other text the text itself. */
export function extractStrategy(text: string): string {
  const named = /^\s*strategy\s*:\s*/i.exec(text);
  if (named === null) return text.trim();
  const [strategy = ""] = text.slice(named[0].length).split(/[\s.;,]*\boutcome\s*:/i);
  return strategy.trim();
}

/** Two strategies with the same key are one: the same words in the same order, whatever is between them. */
export function normaliseStrategy(text: string): string {
  return contentWords(extractStrategy(text)).join(" ");
}

/** One record for each strategy, the most used first. */
export function summariseStrategies(tallies: readonly StrategyTally[]): readonly StrategyRecord[] {
  const records = new Map<string, StrategyRecord>();
  for (const { strategy, state, count } of tallies) {
    const key = normaliseStrategy(strategy);
    if (key === "" || (state !== "verified" && state !== "claimed" && state !== "failed")) continue;
    const before = records.get(key) ?? { strategy: extractStrategy(strategy), verified: 0, claimed: 0, failed: 0 };
    const next = { ...before, [state]: before[state] + count };
    const judged = next.verified + next.failed;
    records.set(key, { ...next, successRate: judged === 0 ? null : next.verified / judged });
  }
  const uses = ({ verified, claimed, failed }: StrategyRecord) => verified + claimed + failed;
  return [...records.values()].toSorted((a, b) => uses(b) - uses(a) || (a.strategy < b.strategy ? -1 : 1));
}

/** Strategies that failed so often and were never verified, the worst first. Work that was only claimed is no success. */
export function findFailingStrategies(
  tallies: readonly StrategyTally[],
  { strategyFailures }: { readonly strategyFailures: number },
): readonly FailingStrategy[] {
  return summariseStrategies(tallies)
    .filter(({ verified, failed }) => verified === 0 && failed >= strategyFailures)
    .map(({ strategy, failed }) => ({ strategy, failures: failed }))
    .toSorted((a, b) => b.failures - a.failures || (a.strategy < b.strategy ? -1 : 1));
}

/** For each strategy, by its key: the goals in which work by it was verified. */
export function mapSolvedGoals(tallies: readonly StrategyTally[]): ReadonlyMap<string, readonly string[]> {
  const solved = tallies.filter(({ state }) => state === "verified");
  return new Map(
    [...groupBy(solved, ({ strategy }) => normaliseStrategy(strategy))].map(([key, all]) => [
      key,
      [...new Set(all.map(({ goal }) => goal))],
    ]),
  );
}
