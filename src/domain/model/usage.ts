/** Tokens of one model call, as billed. `cached` and `cacheWrite` are part of `in`; `reasoning` is part of `out`. */
export interface TokenUsage {
  readonly in: number;
  readonly out: number;
  /** Read from the provider's prompt cache. */
  readonly cached: number;
  /** Written to the provider's prompt cache. */
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that is kept for an hour, which costs more. */
  readonly cacheWrite1h?: number | undefined;
  readonly reasoning: number;
}

export const noUsage: TokenUsage = { in: 0, out: 0, cached: 0, cacheWrite: 0, reasoning: 0 };

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const longWrites = (a.cacheWrite1h ?? 0) + (b.cacheWrite1h ?? 0);
  return {
    in: a.in + b.in,
    out: a.out + b.out,
    cached: a.cached + b.cached,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(longWrites > 0 ? { cacheWrite1h: longWrites } : {}),
    reasoning: a.reasoning + b.reasoning,
  };
}
