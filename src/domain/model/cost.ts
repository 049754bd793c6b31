import type { PriceTier, StoredPrice, TokenPrices } from "./call-row.ts";
import { boundTokens } from "./token-bound.ts";
import { noUsage, type TokenUsage } from "./usage.ts";

/** The cost in dollars, at the prices for a prompt of this length. */
export function costOf(price: StoredPrice, usage: TokenUsage): number {
  const prices = pricesFor(price, usage.in);
  const longWrites = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite);
  const plain = Math.max(0, usage.in - usage.cached - usage.cacheWrite);
  const tokens =
    plain * prices.in +
    usage.cached * prices.cached +
    (usage.cacheWrite - longWrites) * prices.cacheWrite +
    longWrites * (prices.cacheWrite1h ?? prices.cacheWrite) +
    usage.out * prices.out;
  return tokens / MILLION + (price.request ?? 0);
}

/**
 * The most a call can cost in dollars, if the provider respects `maxTokens`. Every token of the prompt counts at the highest
 * price that may apply: none may be in the prompt cache, and all may be written to it.
 */
export function worstCost(
  price: StoredPrice,
  call: {
    /** An upper bound: `boundInputTokens`. */
    readonly inputTokens: number;
    readonly maxTokens: number;
    /** Whether the prompt may be written to the provider's cache. Some providers write, and charge, without a request. */
    readonly cacheWrites?: "none" | "short" | "hour" | undefined;
  },
): number {
  const reached = [price, ...(price.tiers ?? []).filter(({ above }) => call.inputTokens > above)];
  const tokens = reached.map(
    (prices) => call.inputTokens * inputPrice(prices, call.cacheWrites ?? "short") + call.maxTokens * prices.out,
  );
  return Math.max(...tokens) / MILLION + (price.request ?? 0);
}

/** The parts of a request that cost input tokens. A `ChatRequest` has them. */
export interface CountedRequest {
  readonly system?: string | undefined;
  readonly messages: readonly { readonly parts: readonly object[] }[];
  readonly tools?: readonly object[] | undefined;
}

/** An upper bound of the input tokens. It holds for at least 999 of 1,000 calls; docs/models.md describes the measurement. */
export function boundInputTokens(request: CountedRequest | string): number {
  if (typeof request === "string") return boundTokens(request) + PER_REQUEST;
  const texts = [
    request.system ?? "",
    ...request.messages.flatMap(({ parts }) => parts.flatMap(textsOf)),
    ...(request.tools ?? []).map((tool) => JSON.stringify(tool)),
  ];
  const parts = request.messages.reduce((sum, { parts: of }) => sum + 1 + of.length, 0) + (request.tools?.length ?? 0);
  const tools = request.tools !== undefined && request.tools.length > 0 ? TOOL_PROMPT : 0;
  return texts.reduce((sum, text) => sum + boundTokens(text), PER_REQUEST + parts * PER_PART + tools);
}

/** What a call is expected to use, before it is sent. The bound of the input is about twice the true number. */
export function expectUsage(request: CountedRequest & { readonly maxTokens: number }): TokenUsage {
  const input = Math.round(boundInputTokens(request) / 2);
  return { ...noUsage, in: input, out: Math.min(request.maxTokens, EXPECTED_OUT) };
}

const EXPECTED_OUT = 600;
const MILLION = 1_000_000;
/** The tokens that providers add to a request, and to each message and part. */
const PER_REQUEST = 16;
const PER_PART = 8;
/** Anthropic adds a prompt of up to 530 tokens if there are tools (346 with `auto`). */
const TOOL_PROMPT = 600;

/** The values of a part as texts; other values as JSON. */
function textsOf(part: object): readonly string[] {
  return Object.values(part).map((value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? "")));
}

/** The prices that apply to a prompt of this length, and above which length they do; null for the usual ones. */
export function findTier({ tiers }: StoredPrice, inputTokens: number): PriceTier | null {
  return tiers?.findLast(({ above }) => inputTokens > above) ?? null;
}

function pricesFor(price: StoredPrice, inputTokens: number): TokenPrices {
  return findTier(price, inputTokens) ?? price;
}

function inputPrice(prices: TokenPrices, writes: "none" | "short" | "hour"): number {
  if (writes === "none") return prices.in;
  if (writes === "short") return Math.max(prices.in, prices.cacheWrite);
  return Math.max(prices.in, prices.cacheWrite, prices.cacheWrite1h ?? 0);
}
