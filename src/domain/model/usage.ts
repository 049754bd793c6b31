/** Tokens of one model call, as billed. `cached` and `cacheWrite` are part of `in`; `reasoning` is part of `out`. */
export interface TokenUsage {
  readonly in: number;
  readonly out: number;
  /** Read from the provider's prompt cache. */
  readonly cached: number;
  /** Written to the provider's prompt cache. */
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export const noUsage: TokenUsage = { in: 0, out: 0, cached: 0, cacheWrite: 0, reasoning: 0 };

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    in: a.in + b.in,
    out: a.out + b.out,
    cached: a.cached + b.cached,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
  };
}
