import type { Complexity } from "../route/tally.ts";
import type { ModelFailureKind } from "./failure.ts";
import type { TokenUsage } from "./usage.ts";

/** How a call was made: by our gateway, or by a client through our loopback endpoint. */
export type CallWay = "gateway" | "pass-through";

export type CallOutcome = "ok" | "cached" | "failed" | "capped" | "aborted";

/** One model call, with all its attempts. The row is written once, when the call has ended, and never changed. */
export interface ModelCallRow {
  readonly id: string;
  /** When it began, in milliseconds. */
  readonly at: number;
  readonly way: CallWay;
  readonly agent: string;
  readonly session: string | null;
  readonly job: string | null;
  readonly goal: string | null;
  readonly taskType: string;
  readonly complexity: Complexity;
  /** The provider and model that answered, or of the last attempt. */
  readonly provider: string;
  readonly model: string;
  readonly outcome: CallOutcome;
  readonly failure: ModelFailureKind | null;
  readonly ms: number;
  readonly firstTokenMs: number | null;
  /** Summed over all attempts. */
  readonly usage: TokenUsage;
  /** In dollars, summed over all attempts. */
  readonly cost: number;
  /** False if a price was unknown and the most expensive known price was used. */
  readonly priceKnown: boolean;
  /** True if a subscription paid, so that the cost is the list price. */
  readonly listPrice: boolean;
  /** An attempt failed, and a later one answered. */
  readonly healed: boolean;
  /** The router chose this model to learn about it. */
  readonly explored: boolean;
  /** Why this model: sentences of `explainRoute`, or one that says who chose it. */
  readonly route: readonly string[];
  readonly attempts: readonly ModelAttempt[];
  /** If the answer is from the response cache: the call that wrote it. */
  readonly repeats?: string | undefined;
}

export interface ModelAttempt {
  readonly provider: string;
  readonly model: string;
  readonly at: number;
  readonly ms: number;
  readonly failure: ModelFailureKind | null;
  readonly usage: TokenUsage;
  readonly cost: number;
  /** Dollars per million tokens at the time of the attempt; null if unknown. */
  readonly price: StoredPrice | null;
}

/** Dollars per million tokens. */
export interface TokenPrices {
  readonly in: number;
  readonly out: number;
  readonly cached: number;
  readonly cacheWrite: number;
  /** Writes to a prompt cache that lasts an hour; if absent, `cacheWrite` applies. */
  readonly cacheWrite1h?: number | undefined;
}

export interface StoredPrice extends TokenPrices {
  /** For prompts of more than `above` tokens, these prices apply to the whole call. Ascending. */
  readonly tiers?: readonly PriceTier[] | undefined;
  /** Dollars for each call, in addition to its tokens. */
  readonly request?: number | undefined;
  /** The date of the price table, or the name of the override file. */
  readonly from: string;
}

export interface PriceTier extends TokenPrices {
  readonly above: number;
}

/** Where a call's quality comes from, most reliable first. */
export const qualitySources = ["verified", "feedback", "heuristic"] as const;
export type QualitySource = (typeof qualitySources)[number];

/** A judgement of a call. It often comes later than the call, so it has its own append-only table. */
export interface CallQuality {
  readonly call: string;
  readonly at: number;
  /** From 0 to 1. */
  readonly quality: number;
  readonly source: QualitySource;
  readonly note: string | null;
}
