import type { Entry } from "./entry.ts";
import type { SessionUsage } from "./turn-event.ts";

export type TurnUsage = Pick<SessionUsage, "calls" | "tokensIn" | "tokensOut" | "tokensCached" | "cost">;

/** `aside`: what sub-agents used. */
export function sumUsage(
  entries: readonly Entry[],
  { window, aside = [] }: { readonly window: number | null; readonly aside?: readonly TurnUsage[] },
): SessionUsage {
  const answers = entries.filter((one) => one.kind === "assistant");
  const own = answers.map(({ usage, cost }): TurnUsage => ({
    calls: 1,
    tokensIn: usage.in,
    tokensOut: usage.out,
    tokensCached: usage.cached,
    cost,
  }));
  const last = answers.at(-1);
  return {
    ...[...own, ...aside].reduce(addSums, { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0 }),
    model: last?.model ?? null,
    contextTokens: last === undefined ? 0 : last.usage.in + last.usage.out,
    contextWindow: window,
  };
}

function addSums(a: TurnUsage, b: TurnUsage): TurnUsage {
  return {
    calls: a.calls + b.calls,
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    tokensCached: a.tokensCached + b.tokensCached,
    cost: a.cost + b.cost,
  };
}
