export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The parsed value; undefined if it is not JSON. The caller checks its shape. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON with sorted keys: equal values give equal text, so they can be compared and hashed. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

export function stringOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === "string" ? value : otherwise;
}

/** The text; null if it is empty or not a string. */
export function nonEmptyText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
