import { basename } from "node:path";
import type { StoredPrice } from "../../domain/model/call-row.ts";
import { formatModelRef, type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { findNearNames } from "../../lib/nearest.ts";
import { openBuiltInTable } from "./built-in-table.ts";
import { type OverrideTable, emptyOverrides, readOverrides } from "./override.ts";

/** Prices and context windows of models. */
export interface PriceTable {
  /** Null if the price is unknown. */
  find(ref: ModelRef, at: number): StoredPrice | null;
  window(ref: ModelRef): { readonly context: number | null; readonly output: number | null };
  /** True if the table says that the provider no longer offers the model. */
  isRetired(ref: ModelRef): boolean;
  /** True if the owner's price file says so. Such a model is not called. */
  isRetiredByOwner(ref: ModelRef): boolean;
  /** Known models of the provider with a similar name, as PROVIDER/MODEL, the nearest first. */
  listNear(ref: ModelRef): readonly string[];
  /** The date of the built-in table. */
  readonly date: string;
  /** For each kind of token, the highest price in the table. */
  mostExpensive(): StoredPrice;
}

export interface PriceOptions {
  /** A file whose prices override the built-in ones. */
  readonly override?: string | null | undefined;
  /** Providers that run on this machine cost nothing. */
  readonly isLoopback: (provider: string) => boolean;
}

/** Loads the built-in table, about half a megabyte, and reads the override file. */
export async function openPrices({ override, isLoopback }: PriceOptions): Promise<PriceTable> {
  const builtIn = await openBuiltInTable();
  const own: OverrideTable = override == null || override === "" ? emptyOverrides : readOverrides(override);
  const source = override == null ? "" : basename(override);
  return {
    find: (ref, at) => {
      const overridden = own.find(ref);
      if (overridden?.price != null) return { ...overridden.price, from: source };
      if (isLoopback(ref.provider)) return freePrice;
      return builtIn.find(ref, at);
    },
    window: (ref) => {
      const overridden = own.find(ref);
      const known = builtIn.window(ref);
      return { context: overridden?.context ?? known.context, output: overridden?.output ?? known.output };
    },
    isRetired: (ref) => own.find(ref)?.retired ?? (!isLoopback(ref.provider) && builtIn.isRetired(ref)),
    isRetiredByOwner: (ref) => own.find(ref)?.retired === true,
    listNear: ({ provider, model }) => {
      const owned = own.names.flatMap((name) => {
        const ref = name.endsWith("*") ? null : parseModelRef(name);
        return ref?.provider === provider ? [ref.model] : [];
      });
      const near = findNearNames(model, [...owned, ...builtIn.listNames(provider)], MOST_NEAR);
      return near.map((name) => formatModelRef({ provider, model: name }));
    },
    date: builtIn.date,
    mostExpensive: builtIn.mostExpensive,
  };
}

const MOST_NEAR = 3;

const freePrice: StoredPrice = { in: 0, out: 0, cached: 0, cacheWrite: 0, from: "this machine" };
