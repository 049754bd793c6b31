import { storable } from "../../lib/text.ts";
import type { SqlValue } from "./db.ts";

/** Both databases use this: one refuses NUL, the other truncates the text at it. */
export function toStorableValues(values: readonly SqlValue[]): SqlValue[] {
  return values.map((value) => (typeof value === "string" ? storable(value) : value));
}

/** An integer for an integer column; null if missing or not finite. */
export function toWholeNumber(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? Math.round(value) : null;
}
