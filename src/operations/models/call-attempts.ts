import { z } from "zod";
import type { ModelAttempt, StoredPrice } from "../../domain/model/call-row.ts";
import { findTier } from "../../domain/model/cost.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { formatDollarsExactly } from "../../domain/model/money.ts";
import { iso } from "../../lib/clock.ts";

/** One attempt of a call, with the prices that give its cost. */
export const attemptShape = z.object({
  model: z.string(),
  at: z.string(),
  ms: z.number(),
  failure: z.string().nullable(),
  cost: z.number(),
  tokens: z.object({
    in: z.number().describe("including those read from and written to the prompt cache"),
    out: z.number(),
    cached: z.number(),
    cacheWrite: z.number(),
    cacheWrite1h: z.number().describe("the part of cacheWrite that is cached for an hour"),
  }),
  price: z
    .object({
      in: z.number(),
      out: z.number(),
      cached: z.number(),
      cacheWrite: z.number(),
      cacheWrite1h: z.number().optional(),
      request: z.number().optional().describe("dollars for each call, in addition"),
      above: z.number().nullable().describe("the prices are those of prompts above this many tokens"),
      from: z.string(),
    })
    .nullable()
    .describe("dollars per million tokens, as the cost was computed; null if its price is unknown"),
});

type ShownAttempt = z.infer<typeof attemptShape>;

export function attemptOut(one: ModelAttempt): ShownAttempt {
  return {
    model: formatModelRef(one),
    at: iso(one.at),
    ms: one.ms,
    failure: one.failure,
    cost: one.cost,
    tokens: {
      in: one.usage.in,
      out: one.usage.out,
      cached: one.usage.cached,
      cacheWrite: one.usage.cacheWrite,
      cacheWrite1h: one.usage.cacheWrite1h ?? 0,
    },
    price: one.price && priceOut(one.price, one.usage.in),
  };
}

/** The prices that the cost was computed with. */
function priceOut(price: StoredPrice, inputTokens: number): NonNullable<ShownAttempt["price"]> {
  const tier = findTier(price, inputTokens);
  const { in: input, out, cached, cacheWrite, cacheWrite1h } = tier ?? price;
  return {
    in: input,
    out,
    cached,
    cacheWrite,
    ...(cacheWrite1h === undefined ? {} : { cacheWrite1h }),
    ...(price.request === undefined ? {} : { request: price.request }),
    above: tier?.above ?? null,
    from: price.from,
  };
}

export function formatAttempt(one: ShownAttempt): string {
  const { tokens, price } = one;
  const ofCache = [
    ...(tokens.cached === 0 ? [] : [`${count(tokens.cached)} from the prompt cache`]),
    ...(tokens.cacheWrite === 0 ? [] : [`${count(tokens.cacheWrite)} written to it`]),
  ];
  const cached = ofCache.length === 0 ? "" : ` (${ofCache.join(", ")})`;
  const used = `${count(tokens.in)} tokens in${cached}, ${count(tokens.out)} out`;
  const by = price === null ? "its price is unknown" : formatUsedPrices(price, tokens);
  return `  ${one.model}  ${one.failure ?? "answered"}  ${seconds(one.ms)}, ${used}, ${formatDollarsExactly(one.cost)} (${by})`;
}

/** Only the prices of what the attempt used. */
function formatUsedPrices(price: NonNullable<ShownAttempt["price"]>, tokens: ShownAttempt["tokens"]): string {
  const inputs = [
    `$${price.in} in`,
    ...(tokens.cached === 0 ? [] : [`$${price.cached} from the prompt cache`]),
    ...(tokens.cacheWrite > tokens.cacheWrite1h ? [`$${price.cacheWrite} written to it`] : []),
    ...(tokens.cacheWrite1h === 0 ? [] : [`$${price.cacheWrite1h ?? price.cacheWrite} written to it for an hour`]),
  ];
  const above = price.above === null ? "" : ` of prompts above ${count(price.above)} tokens`;
  const request = price.request === undefined ? "" : `, $${price.request} for the call`;
  return `${inputs.join(", ")} and $${price.out} out per million tokens${above}${request}, prices of ${price.from}`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
