import type { Config } from "../../config.ts";
import { openPrices, type PriceTable } from "../prices/prices.ts";
import { findEndpoint } from "../providers/registry.ts";

/** The price table is loaded with the first call. */
export function openPricesOnce({ providers }: Pick<Config, "providers">): () => Promise<PriceTable> {
  let opening: Promise<PriceTable> | null = null;
  const isLoopback = (name: string) => findEndpoint(name, providers)?.isLoopback ?? false;
  return () => (opening ??= openPrices({ isLoopback }));
}
