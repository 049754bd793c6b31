import type { TokenUsage } from "../../domain/model/usage.ts";
import type { Entry, SpentOnCalls } from "./entry.ts";
import type { SessionUsage } from "./turn-event.ts";

/** `aside`: what sub-agents used, and calls that left no entry. */
export function sumUsage(
  entries: readonly Entry[],
  { window, aside = [] }: { readonly window: number | null; readonly aside?: readonly SpentOnCalls[] },
): SessionUsage {
  const sums = { ...nothingSpent } as { -readonly [Name in keyof SpentOnCalls]: number };
  const add = (spent: SpentOnCalls) => {
    sums.calls += spent.calls;
    sums.tokensIn += spent.tokensIn;
    sums.tokensOut += spent.tokensOut;
    sums.tokensCached += spent.tokensCached;
    sums.cost += spent.cost;
  };
  // In one pass: a session may have thousands of entries.
  let model: string | null = null;
  for (const entry of entries) {
    if (entry.kind === "assistant") {
      add(spentOn(entry));
      ({ model } = entry);
    }
    if (entry.kind === "compaction" && entry.spent !== undefined) add(entry.spent);
  }
  for (const spent of aside) add(spent);
  return { ...sums, model, contextTokens: countContext(entries), contextWindow: window };
}

/** Of the last request, or of what a compaction left. */
function countContext(entries: readonly Entry[]): number {
  // Of an answer that was stopped, its provider may have reported nothing.
  const last = entries.findLast(
    (one) => one.kind === "compaction" || (one.kind === "assistant" && (one.context !== undefined || hasUsed(one))),
  );
  if (last?.kind === "compaction") return last.tokensAfter;
  return last?.kind === "assistant" ? (last.context ?? last.usage.in + last.usage.out) : 0;
}

export const nothingSpent: SpentOnCalls = { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0 };

export function spentOn({ usage, cost }: { readonly usage: TokenUsage; readonly cost: number }): SpentOnCalls {
  return { calls: 1, tokensIn: usage.in, tokensOut: usage.out, tokensCached: usage.cached, cost };
}

/** A call that failed before a model read it cost nothing, and does not count. */
export function hasUsed({ usage, cost }: { readonly usage: TokenUsage; readonly cost: number }): boolean {
  return cost > 0 || usage.in > 0 || usage.out > 0;
}

/** What is left of the first after the second, in no part less than nothing. */
export function subtractSpent(a: SpentOnCalls, b: SpentOnCalls): SpentOnCalls {
  const left = (name: keyof SpentOnCalls) => Math.max(0, a[name] - b[name]);
  return {
    calls: left("calls"),
    tokensIn: left("tokensIn"),
    tokensOut: left("tokensOut"),
    tokensCached: left("tokensCached"),
    cost: left("cost"),
  };
}

export function addSpent(a: SpentOnCalls, b: SpentOnCalls): SpentOnCalls {
  return {
    calls: a.calls + b.calls,
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    tokensCached: a.tokensCached + b.tokensCached,
    cost: a.cost + b.cost,
  };
}
