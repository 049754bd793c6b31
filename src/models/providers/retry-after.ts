import { isRecord } from "../../lib/json.ts";

/** How long the provider asks to wait, in milliseconds: from its headers, otherwise from the body (Google). Null if it does not say. */
export function readRetryAfter(headers: Headers | null, body: unknown, now: number): number | null {
  const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return Math.ceil(ms);
  const after = headers?.get("retry-after")?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1_000);
  const date = after === "" ? Number.NaN : Date.parse(after);
  if (Number.isFinite(date)) return Math.max(0, date - now);
  return readRetryDelay(body);
}

/** `{error: {details: [{"@type": "…RetryInfo", retryDelay: "35s"}]}}` */
function readRetryDelay(body: unknown): number | null {
  const error = isRecord(body) ? body["error"] : undefined;
  const details = isRecord(error) && Array.isArray(error["details"]) ? error["details"] : [];
  for (const one of details) {
    const delay = isRecord(one) ? one["retryDelay"] : undefined;
    const seconds = typeof delay === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return null;
}
