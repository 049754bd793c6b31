export type Difference =
  | { readonly kind: "added"; readonly path: string; readonly after: unknown }
  | { readonly kind: "removed"; readonly path: string; readonly before: unknown }
  | {
      readonly kind: "changed";
      readonly path: string;
      readonly before: unknown;
      readonly after: unknown;
    };

/** The differences between two values, by path (`evidence.sessions`). Lists are compared as a whole. */
export function listDifferencesBetween(before: unknown, after: unknown, path = ""): readonly Difference[] {
  if (isRecord(before) && isRecord(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => listDifferencesBetween(before[name], after[name], join(path, name)));
  }
  if (same(before, after)) return [];
  if (isAbsent(before)) return spread(after, path).map(([p, v]) => ({ kind: "added", path: p, after: v }));
  if (isAbsent(after)) return spread(before, path).map(([p, v]) => ({ kind: "removed", path: p, before: v }));
  return [{ kind: "changed", path, before, after }];
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string unchanged, anything else as JSON. */
export function formatValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

// An added or removed noun is listed field by field, without empty fields.
function spread(value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (!isRecord(value) || path !== "") return [[path, value]];
  return Object.entries(value).filter(([, part]) => !isAbsent(part));
}

function same(before: unknown, after: unknown): boolean {
  return before === after || (isAbsent(before) && isAbsent(after)) || JSON.stringify(before) === JSON.stringify(after);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
