import { resolve } from "node:path";
import type { Config } from "../../config.ts";
import { openPrices, type PriceTable } from "../prices/prices.ts";
import { findEndpoint } from "../providers/registry.ts";

/** The price table is loaded with the first call. */
export function openPricesOnce({
  home,
  providers,
  policy,
}: Pick<Config, "home" | "providers" | "policy">): () => Promise<PriceTable> {
  const { prices: file } = policy.models;
  const override = file === "" ? null : resolve(home, file);
  const isLoopback = (name: string) => findEndpoint(name, providers)?.isLoopback ?? false;
  let opening: Promise<PriceTable> | null = null;
  return () => (opening ??= openPrices({ override, isLoopback }));
}
