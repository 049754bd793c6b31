import type { Origin } from "../rule/rule.ts";
import { DAY } from "../../lib/clock.ts";
import { patternKey } from "./pattern.ts";

export const severities = ["low", "medium", "high", "critical"] as const;
export type Severity = (typeof severities)[number];

/** What was predicted and what happened. `surprise` is their distance, from 0 (as expected) to 1. */
export interface Expectation {
  readonly prediction: string;
  readonly outcome: string;
  readonly surprise: number;
}

/** The fields shared by mistakes and wins. */
export interface LedgerEntry {
  readonly id: string;
  readonly at: number;
  readonly what: string;
  readonly why: string;
  readonly pattern: string;
  readonly expectation: Expectation | null;
  readonly origin: Origin;
  readonly session: string | null;
  readonly workspace: string | null;
}

export interface Mistake extends LedgerEntry {
  readonly shouldHave: string;
  readonly severity: Severity;
  /** What was visible at the time, and was misread. */
  readonly signal: string;
}

export type Win = LedgerEntry;

/** All ledger entries of one pattern, under any of its names. Oldest first. */
export interface PatternCount {
  /** Equal for all names of the pattern; not for display. */
  readonly key: string;
  /** The name in the oldest entry. */
  readonly pattern: string;
  readonly mistakes: readonly Mistake[];
  readonly wins: readonly Win[];
}

export function countPatterns(mistakes: readonly Mistake[], wins: readonly Win[]): readonly PatternCount[] {
  const counts = new Map<string, { pattern: string; mistakes: Mistake[]; wins: Win[] }>();
  const of = (entry: LedgerEntry) => {
    const key = patternKey(entry.pattern);
    const found = counts.get(key) ?? { pattern: entry.pattern, mistakes: [], wins: [] };
    counts.set(key, found);
    return found;
  };
  // The pattern is named after its oldest entry, mistake or win.
  for (const entry of [...mistakes, ...wins].toSorted(byTime)) of(entry);
  for (const mistake of mistakes.toSorted(byTime)) of(mistake).mistakes.push(mistake);
  for (const win of wins.toSorted(byTime)) of(win).wins.push(win);
  return [...counts].map(([key, count]) => ({ key, ...count }));
}

/** The state of a pattern: its wins are subtracted from its mistakes. */
export interface PatternTrend {
  readonly pattern: string;
  readonly mistakes: number;
  readonly wins: number;
  readonly balance: number;
  /** The newest entries, back to the last one of the other kind. */
  readonly streak: { readonly kind: "mistake" | "win"; readonly length: number };
  /** Days since the last mistake; null if there was none. */
  readonly quietDays: number | null;
  readonly worst: Severity | null;
  readonly surprise: number | null;
}

export function computePatternTrend(count: PatternCount, now: number): PatternTrend {
  const { pattern, mistakes, wins } = count;
  const inOrder = [
    ...mistakes.map((one) => ({ kind: "mistake" as const, at: one.at, id: one.id })),
    ...wins.map((one) => ({ kind: "win" as const, at: one.at, id: one.id })),
  ].toSorted(byTime);
  const kind = inOrder.at(-1)?.kind ?? "mistake";
  const other = inOrder.findLastIndex((one) => one.kind !== kind);
  const last = mistakes.at(-1);
  const surprises = [...mistakes, ...wins].flatMap((one) => one.expectation?.surprise ?? []);
  const worst = Math.max(...mistakes.map((one) => severities.indexOf(one.severity)), -1);
  return {
    pattern,
    mistakes: mistakes.length,
    wins: wins.length,
    balance: mistakes.length - wins.length,
    streak: { kind, length: inOrder.length - 1 - other },
    quietDays: last === undefined ? null : Math.max(0, Math.floor((now - last.at) / DAY)),
    worst: severities[worst] ?? null,
    surprise: surprises.length === 0 ? null : surprises.reduce((sum, one) => sum + one, 0) / surprises.length,
  };
}

function byTime(a: { readonly at: number; readonly id: string }, b: { readonly at: number; readonly id: string }) {
  return a.at - b.at || (a.id < b.id ? -1 : 1);
}
