import { iso } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import { oneLine, plural } from "../../lib/text.ts";

/** One line per changed field: `level: nudge → watch`; for a new subject, its fields. `--json` shows everything. */
export function describeChange({
  before,
  after,
}: {
  readonly before: unknown;
  readonly after: unknown;
}): readonly string[] {
  if (!isRecord(after)) return isRecord(before) ? ["removed"] : [];
  const was = isRecord(before) ? spreadWork(before) : null;
  const is = spreadWork(after);
  return Object.keys({ ...was, ...is })
    .filter((field) => field !== "id" && !isSame(was?.[field], is[field]))
    .flatMap((field) => {
      const [from, to] = [formatFieldValue(field, was?.[field]), formatFieldValue(field, is[field])];
      if (was === null) return to === NOTHING ? [] : [`${formatFieldName(field)}: ${to}`];
      if (is[field] === false || was[field] === false)
        return [`${formatFieldName(field)}: ${is[field] === true ? "no → yes" : "yes → no"}`];
      return [`${formatFieldName(field)}: ${from} → ${to}`];
    });
}

/** What a job does has fields of its own, and each may change. */
function spreadWork(state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { work, ...rest } = state;
  if (!isRecord(work) || work["kind"] !== "command") return state;
  const { kind: _kind, ...fields } = work;
  return { ...rest, ...fields };
}

const NOTHING = "–";

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** `mergedInto` becomes `merged into`. */
function formatFieldName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ at$/, "");
}

function formatFieldValue(field: string, value: unknown): string {
  if (value === undefined || value === null || value === "" || value === false) return NOTHING;
  if (value === true) return "yes";
  if ((field === "at" || field.endsWith("At")) && typeof value === "number") return iso(value);
  if (typeof value === "string") return oneLine(value, 200);
  if (Array.isArray(value) && value.length === 0) return NOTHING;
  if (!isRecord(value)) return oneLine(JSON.stringify(value), 200);
  if (typeof value["observations"] === "number" && typeof value["sessions"] === "number")
    return `${plural(value["observations"], "observation")} in ${plural(value["sessions"], "session")}`;
  if (typeof value["kind"] === "string")
    return [value["kind"], ...Object.values(value).filter((one) => one !== value["kind"])].map(String).join(" ");
  return oneLine(JSON.stringify(value), 200);
}
