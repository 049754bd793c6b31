import type { StoredPrice } from "../../domain/model/call-row.ts";
import type { ModelRef } from "../../domain/model/model-ref.ts";
import type { PriceTable } from "./prices.ts";

/** The price to count with, and whether it is the model's own. Null if the price is unknown and such calls are refused. */
export function choosePrice(
  table: PriceTable,
  ref: ModelRef,
  at: number,
  unknownPrice: "most-expensive" | "refuse",
): { readonly price: StoredPrice; readonly isKnown: boolean } | null {
  const known = table.find(ref, at);
  if (known !== null) return { price: known, isKnown: true };
  return unknownPrice === "refuse" ? null : { price: table.mostExpensive(), isKnown: false };
}
