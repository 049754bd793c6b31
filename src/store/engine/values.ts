import { storable } from "../../lib/text.ts";
import type { SqlValue } from "./db.ts";

/** Both stores pass every value through here: one refuses a NUL, the other cuts the text off at it. */
export function toStorableValues(values: readonly SqlValue[]): SqlValue[] {
  return values.map((value) => (typeof value === "string" ? storable(value) : value));
}

/** A whole number, as every integer column wants it; null where the source gave none. */
export function toWholeNumber(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? Math.round(value) : null;
}
