import type { ModelInfo, ModelPrice } from "@pydantic/genai-prices";
import type { PriceTier, StoredPrice, TokenPrices } from "../../domain/model/call-row.ts";
import type { ModelRef } from "../../domain/model/model-ref.ts";

/** When version 0.1.8 of `@pydantic/genai-prices` was published. A test compares the version. */
export const builtInTableDate = "2026-09-23";

/** The table of `@pydantic/genai-prices`, which is bundled. Its updates over the network stay off. */
export async function openBuiltInTable() {
  const { calcPrice, waitForUpdate } = await import("@pydantic/genai-prices");
  // Without an update this returns the bundled data. The package has no other way to read all of it.
  const providers = (await waitForUpdate()) ?? [];
  const idsFor = (provider: string): readonly string[] =>
    provider === "huggingface"
      ? providers.map(({ id }) => id).filter((id) => id.startsWith("huggingface_"))
      : [tableNames[provider] ?? provider];
  const findAll = (ref: ModelRef, at: number) =>
    idsFor(ref.provider).flatMap((providerId) => {
      const found = calcPrice({}, ref.model, { providerId, timestamp: new Date(at) });
      return found === null ? [] : [found];
    });
  let highest: StoredPrice | null = null;
  return {
    date: builtInTableDate,
    /** If the table lists a model several times, the most expensive entry counts. */
    find: (ref: ModelRef, at: number): StoredPrice | null =>
      findAll(ref, at)
        .flatMap(({ model_price }) => toStoredPrice(model_price) ?? [])
        .sort((a, b) => b.in + b.out - a.in - a.out)[0] ?? null,
    window: (ref: ModelRef) => {
      const contexts = findAll(ref, Date.UTC(2026, 8, 23)).flatMap(({ model }) => model.context_window ?? []);
      return { context: contexts.length === 0 ? null : Math.min(...contexts), output: null };
    },
    isRetired: (ref: ModelRef): boolean => {
      const found = findAll(ref, Date.UTC(2026, 8, 23));
      return found.length > 0 && found.every(({ model }) => model.deprecated === true);
    },
    /** The models that the table has of a provider. */
    listNames: (provider: string): readonly string[] => {
      const ids = idsFor(provider);
      return providers.flatMap(({ id, models }) =>
        ids.includes(id) ? models.flatMap((one) => (one.deprecated === true ? [] : [one.id])) : [],
      );
    },
    mostExpensive: (): StoredPrice => (highest ??= highestOf(providers.flatMap(({ models }) => models))),
  };
}

/** Providers that have another name in the table than in oldhand. */
const tableNames: Readonly<Record<string, string>> = { workersai: "cloudflare", xai: "x-ai" };

function toStoredPrice(price: ModelPrice): StoredPrice | null {
  if (price["input_mtok"] === undefined && price["output_mtok"] === undefined) return null;
  const starts = new Set(
    Object.values(price).flatMap((one) => (typeof one === "object" ? one.tiers.map(({ start }) => start) : [])),
  );
  const tiers = [...starts].sort((a, b) => a - b).map((above): PriceTier => ({ above, ...pricesAbove(price, above) }));
  const request = baseOf(price["requests_kcount"]);
  return {
    ...pricesAbove(price, -1),
    ...(tiers.length > 0 ? { tiers } : {}),
    ...(request === undefined ? {} : { request: request / 1_000 }),
    from: builtInTableDate,
  };
}

function pricesAbove(price: ModelPrice, above: number): TokenPrices {
  const at = (key: string): number | undefined => {
    const one = price[key];
    return typeof one === "object" ? (one.tiers.findLast(({ start }) => start <= above)?.price ?? one.base) : one;
  };
  const input = at("input_mtok") ?? 0;
  const writeHour = at("cache_write_1h_mtok");
  return {
    in: input,
    // Reasoning counts as output here. Two models have a separate price for it.
    out: Math.max(at("output_mtok") ?? 0, at("output_reasoning_mtok") ?? 0),
    cached: at("cache_read_mtok") ?? input,
    cacheWrite: at("cache_write_mtok") ?? input,
    ...(writeHour === undefined ? {} : { cacheWrite1h: writeHour }),
  };
}

function baseOf(price: ModelPrice[string]): number | undefined {
  return typeof price === "object" ? price.base : price;
}

function highestOf(models: readonly ModelInfo[]): StoredPrice {
  const all = models
    .flatMap(({ prices }) => (Array.isArray(prices) ? prices.map((one) => one.prices) : [prices]))
    .flatMap((price) => toStoredPrice(price) ?? [])
    .flatMap((price): readonly TokenPrices[] => [price, ...(price.tiers ?? [])]);
  const most = (of: (price: TokenPrices) => number) => all.reduce((high, price) => Math.max(high, of(price)), 0);
  return {
    in: most((price) => price.in),
    out: most((price) => price.out),
    cached: most((price) => price.cached),
    cacheWrite: most((price) => price.cacheWrite),
    from: `${builtInTableDate}, most expensive`,
  };
}
