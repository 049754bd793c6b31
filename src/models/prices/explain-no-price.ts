import type { Config } from "../../config.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import type { Clock } from "../../lib/clock.ts";
import { choosePrice } from "./choose-price.ts";
import { openPricesOf } from "./open-prices-of.ts";
import type { PriceTable } from "./prices.ts";

/** One sentence if the price of a paid model is unknown; otherwise none. Often its name is mistyped. */
export async function explainNoPrice(
  { config, clock }: { readonly config: Config; readonly clock: Clock },
  ref: ModelRef,
): Promise<readonly string[]> {
  const { unknownPrice } = config.policy.models;
  const prices = await openPricesOf(config);
  if (choosePrice(prices, ref, clock.now(), unknownPrice)?.isKnown === true) return [];
  const then = unknownPrice === "refuse" ? "it is not called" : "it counts at the highest known price";
  return [
    `the price of ${formatModelRef(ref)} is unknown, so ${then} (models.unknownPrice); check its name${askWhetherMeant(prices, ref)}, or add it to your price file (models.prices)`,
  ];
}

/** ` (did you mean …?)`, or nothing if no known name is near. */
export function askWhetherMeant(prices: Pick<PriceTable, "listNear">, ref: ModelRef): string {
  const near = prices.listNear(ref);
  return near.length === 0 ? "" : ` (did you mean ${near.join(" or ")}?)`;
}
