import type { ModelFailureKind } from "../../domain/model/failure.ts";
import { isRecord } from "../../lib/json.ts";

/** An error as the provider reports it, in an answer's body or in the middle of a stream. */
export interface SaidError {
  readonly status: number | null;
  /** Machine-readable names: `overloaded_error`, `insufficient_quota`, `RESOURCE_EXHAUSTED`. */
  readonly names: readonly string[];
  readonly message: string;
  readonly retryAfterMs: number | null;
}

/** A longer wait does not mean that the provider is busy, but that a plan's limit is used up. */
const QUOTA_MS = 15 * 60_000;

/** Names are checked first, because providers use different statuses for the same error. */
export function classifyError({ status: given, names, message, retryAfterMs }: SaidError): ModelFailureKind {
  const named = names.join(" ");
  const status = given ?? statusOfNames(names);
  if (TOO_LONG_NAMES.test(named) || (isAskerError(status) && TOO_LONG_TEXT.test(message))) return "too-long";
  if (QUOTA_NAMES.test(named) || (isAskerError(status) && QUOTA_TEXT.test(message))) return "quota";
  if (MODEL_NAMES.test(named) || (isAskerError(status) && MODEL_TEXT.test(message))) return "no-such-model";
  if (REFUSED_NAMES.test(named) || (isAskerError(status) && REFUSED_TEXT.test(message))) return "refused";
  if (KEY_NAMES.test(named) || (isAskerError(status) && KEY_TEXT.test(message))) return "auth";
  if (status === 429) return (retryAfterMs ?? 0) > QUOTA_MS ? "quota" : "rate-limited";
  // An error in the middle of a stream without a known name: the request was accepted, so the provider's side failed.
  if (status === null || status >= 500) return "overloaded";
  return byStatus[status] ?? "bad-request";
}

const byStatus: Readonly<Record<number, ModelFailureKind>> = {
  401: "auth",
  402: "quota",
  403: "auth",
  408: "timeout",
  409: "overloaded",
  410: "no-such-model",
  413: "too-long",
  425: "overloaded",
};

/** An error of the request. Its text says more than the status. */
function isAskerError(status: number | null): boolean {
  return status === null || (status >= 400 && status < 500);
}

const TOO_LONG_NAMES = /\b(?:context_length_exceeded|request_too_large|string_above_max_length)\b/;
const TOO_LONG_TEXT =
  /prompt is too long|context (?:length|window|size)|maximum context|input token count[^.]*exceeds|too many (?:input )?tokens|input (?:is )?too long|exceeds? the (?:model'?s )?(?:maximum|available) (?:number of tokens|context|input)/i;
const QUOTA_NAMES = /\b(?:insufficient_quota|billing_error|billing_hard_limit_reached|credits_exhausted)\b/;
const QUOTA_TEXT =
  /credit balance is too low|exceeded your current quota|insufficient (?:credits|balance|funds)|requires more credits|out of credits|usage limit|monthly (?:limit|included credits)/i;
const MODEL_NAMES =
  /\b(?:model_not_found|model_decommissioned|model_not_supported|deployment_not_found|invalid_model)\b/i;
const MODEL_TEXT =
  /^model: \S|model(?:[^.\n]|\.(?=\S)){0,120}(?:does not exist|not found|is not found|not supported|decommissioned|deprecated|retired|no longer (?:available|supported))|(?:no such|unknown|invalid) model|not a valid model|no endpoints found for/i;
const REFUSED_NAMES = /\b(?:content_policy_violation|content_filter|moderation_blocked|invalid_prompt|safety)\b/i;
const REFUSED_TEXT =
  /content (?:management )?polic|flagged (?:by|as)|requires moderation|blocked by (?:our )?(?:safety|content)/i;
const KEY_NAMES = /\b(?:invalid_api_key|authentication_error|permission_error|API_KEY_INVALID|UNAUTHENTICATED)\b/;
const KEY_TEXT = /api key not valid|incorrect api key|invalid (?:x-)?api[- ]key/i;

/** An error in the middle of a stream has a name, but no status. */
function statusOfNames(names: readonly string[]): number | null {
  for (const name of names) {
    const status = statusByName[name.toLowerCase()] ?? (/^[45]\d\d$/.test(name) ? Number(name) : undefined);
    if (status !== undefined) return status;
  }
  return null;
}

const statusByName: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  api_error: 500,
  rate_limit_error: 429,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  invalid_request_error: 400,
  timeout_error: 504,
  server_error: 500,
  internal_server_error: 500,
  service_unavailable: 503,
  rate_limit_exceeded: 429,
  resource_exhausted: 429,
  unavailable: 503,
  internal: 500,
  deadline_exceeded: 504,
  not_found: 404,
  permission_denied: 403,
  invalid_argument: 400,
};

/** Reads the names and the message of an error, in the formats of all providers. */
export function readSaidError(body: unknown): Pick<SaidError, "names" | "message"> {
  // Google answers some streams with a list of one.
  const whole = Array.isArray(body) ? (body as readonly unknown[])[0] : body;
  if (!isRecord(whole)) return { names: [], message: typeof whole === "string" ? whole : "" };
  // Workers AI: {errors: [{code, message}]}. The others: {error: {…}} or {error: "…"} or {message}.
  const list = Array.isArray(whole["errors"]) ? (whole["errors"] as readonly unknown[]) : [];
  const inner = whole["error"] ?? list[0] ?? whole;
  if (typeof inner === "string") return { names: [], message: inner };
  if (!isRecord(inner)) return { names: [], message: "" };
  const details = Array.isArray(inner["details"]) ? inner["details"] : [];
  const reasons = details.map((one: unknown) => (isRecord(one) ? one["reason"] : undefined));
  const names = [inner["type"], inner["code"], inner["status"], ...reasons];
  return {
    names: names.flatMap((one) => (typeof one === "string" || typeof one === "number" ? [String(one)] : [])),
    message: typeof inner["message"] === "string" ? inner["message"] : "",
  };
}
