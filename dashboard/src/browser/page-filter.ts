/** The filter that applies to every page: a time range and a workspace, both stored in the address. */
export type PageFilter = { readonly range: TimeRange; readonly workspace: string | null };

export type TimeRange =
  | { readonly kind: "all" }
  | { readonly kind: "last"; readonly span: Span }
  /** Days such as 2026-01-31 (inclusive), or full timestamps. Null: no limit on this side. */
  | { readonly kind: "between"; readonly from: string | null; readonly to: string | null };

export const spans = ["24h", "7d", "30d", "90d"] as const;
export type Span = (typeof spans)[number];

/** The filter as operation input. */
export type FilterInput = {
  readonly since?: string;
  readonly until?: string;
  readonly workspace?: string;
};

const HOUR = 3_600_000;
const spanMs: Readonly<Record<Span, number>> = {
  "24h": 24 * HOUR,
  "7d": 168 * HOUR,
  "30d": 720 * HOUR,
  "90d": 2160 * HOUR,
};
// Times are rounded to this step: an input that changed every second would be requested every second.
const STEP_MS = HOUR / 6;

const rangeNames = ["range", "from", "to"] as const;

export function parseFilter(search: string): PageFilter {
  const query = new URLSearchParams(search);
  return { range: parseRange(query), workspace: query.get("workspace") || null };
}

function parseRange(query: URLSearchParams): TimeRange {
  const span = spans.find((one) => one === query.get("range"));
  if (span !== undefined) return { kind: "last", span };
  const from = parseDay(query.get("from"));
  const to = parseDay(query.get("to"));
  return from === null && to === null ? { kind: "all" } : { kind: "between", from, to };
}

function parseDay(text: string | null): string | null {
  return text === null || Number.isNaN(Date.parse(text)) ? null : text;
}

/**
 * Replaces the filter in an address. Drops `before`, because a position in the old list is meaningless in the new one.
 */
export function writeFilter(href: string, { range, workspace }: PageFilter): string {
  const { pathname, query } = splitHref(href);
  for (const name of [...rangeNames, "workspace", "before"]) query.delete(name);
  if (range.kind === "last") query.set("range", range.span);
  if (range.kind === "between" && range.from !== null) query.set("from", range.from);
  if (range.kind === "between" && range.to !== null) query.set("to", range.to);
  if (workspace !== null) query.set("workspace", workspace);
  return joinHref(pathname, query);
}

/** Adds the current page's filter to a link. Parameters of the link itself take precedence. */
export function carryFilter(href: string, search: string): string {
  const { pathname, query } = splitHref(href);
  const current = new URLSearchParams(search);
  const copy = (name: string) => {
    const value = current.get(name);
    if (value !== null) query.set(name, value);
  };
  if (!rangeNames.some((name) => query.has(name))) rangeNames.forEach(copy);
  if (!query.has("workspace")) copy("workspace");
  return joinHref(pathname, query);
}

export function isFilterSet({ range, workspace }: PageFilter): boolean {
  return range.kind !== "all" || workspace !== null;
}

export function makeFilterInput({ range, workspace }: PageFilter, now: number): FilterInput {
  return { ...makeTimes(range, now), ...(workspace === null ? {} : { workspace }) };
}

function makeTimes(range: TimeRange, now: number): Pick<FilterInput, "since" | "until"> {
  if (range.kind === "all") return {};
  if (range.kind === "last") {
    const since = Math.floor(now / STEP_MS) * STEP_MS - spanMs[range.span];
    return { since: new Date(since).toISOString() };
  }
  const since = range.from === null ? null : readTime(range.from, "first");
  const until = range.to === null ? null : readTime(range.to, "last");
  return { ...(since === null ? {} : { since }), ...(until === null ? {} : { until }) };
}

/** A day is in the browser's time zone, from its first to its last millisecond. */
function readTime(text: string, moment: "first" | "last"): string | null {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const ms = Date.parse(isDay ? `${text}T${moment === "first" ? "00:00:00.000" : "23:59:59.999"}` : text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** `days` is what the page counts while no time is chosen; without it, all time. */
export function formatRange(range: TimeRange, days?: number): string {
  if (range.kind === "all") return days === undefined ? "All time" : `Last ${days} days`;
  if (range.kind === "last") return spanTitles[range.span];
  if (range.from === null) return `Until ${formatDay(range.to)}`;
  return range.to === null ? `Since ${formatDay(range.from)}` : `${formatDay(range.from)} to ${formatDay(range.to)}`;
}

export const spanTitles: Readonly<Record<Span, string>> = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
};

function formatDay(text: string | null): string {
  const ms = Date.parse(text ?? "");
  if (Number.isNaN(ms)) return "";
  return new Date(ms).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

function splitHref(href: string): { readonly pathname: string; readonly query: URLSearchParams } {
  const at = href.indexOf("?");
  return at === -1
    ? { pathname: href, query: new URLSearchParams() }
    : { pathname: href.slice(0, at), query: new URLSearchParams(href.slice(at)) };
}

// Keeps slashes unescaped for readability; a query may contain them.
function joinHref(pathname: string, query: URLSearchParams): string {
  return query.size === 0 ? pathname : `${pathname}?${String(query).replaceAll("%2F", "/")}`;
}
