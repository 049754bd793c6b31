import { resolve } from "node:path";
import type { Config } from "../../config.ts";
import { fileStamp } from "../../lib/file-stamp.ts";
import { findEndpoint } from "../providers/registry.ts";
import { openPrices, type PriceTable } from "./prices.ts";

/** Prices as the settings have them. Every endpoint on this machine is free, also one that the owner added. */
export function openPricesOf(config: PriceSettings): Promise<PriceTable> {
  return openPrices({
    override: priceFile(config),
    isLoopback: (name) => findEndpoint(name, config.providers)?.isLoopback ?? false,
  });
}

/** The same, opened on first use and again after the settings or the price file have changed. */
export function newPricesOf(config: () => PriceSettings): () => Promise<PriceTable> {
  let known: { readonly of: PriceSettings; readonly stamp: string; readonly table: Promise<PriceTable> } | null = null;
  return () => {
    const of = config();
    const file = priceFile(of);
    const stamp = file === null ? "" : fileStamp(file);
    if (known?.of !== of || known.stamp !== stamp) known = { of, stamp, table: openPricesOf(of) };
    return known.table;
  };
}

type PriceSettings = Pick<Config, "home" | "policy" | "providers">;

function priceFile({ home, policy }: PriceSettings): string | null {
  const { prices: file } = policy.models;
  return file === "" ? null : resolve(home, file);
}
