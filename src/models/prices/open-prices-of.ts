import { resolve } from "node:path";
import type { Config } from "../../config.ts";
import { findEndpoint } from "../providers/registry.ts";
import { openPrices, type PriceTable } from "./prices.ts";

/** Prices as the settings have them. Every endpoint on this machine is free, also one that the owner added. */
export function openPricesOf({
  home,
  providers,
  policy,
}: Pick<Config, "home" | "policy" | "providers">): Promise<PriceTable> {
  const { prices: file } = policy.models;
  return openPrices({
    override: file === "" ? null : resolve(home, file),
    isLoopback: (name) => findEndpoint(name, providers)?.isLoopback ?? false,
  });
}
