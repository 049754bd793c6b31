import type { ModelFailure, ModelFailureKind } from "../../domain/model/failure.ts";
import { noUsage, type TokenUsage } from "../../domain/model/usage.ts";
import { redact } from "../../domain/redact/redact.ts";
import { isRecord } from "../../lib/json.ts";
import { ModelCallError } from "../chat/chat.ts";
import { classifyError, readSaidError, type SaidError } from "./classify-error.ts";

/** The provider that failed, and its key, which no text may show. */
export interface FailureSource {
  readonly provider: string;
  readonly key: string | null;
}

/** The most characters of a provider's message that are shown. */
const MOST_CHARACTERS = 500;

/** An error with a text that is safe to show: no key, no header, no request. */
export function modelError(
  { provider, key }: FailureSource,
  kind: ModelFailureKind,
  what: string,
  more: { readonly status?: number | null; readonly retryAfterMs?: number | null; readonly cause?: unknown } = {},
): ModelCallError {
  const failure: ModelFailure = {
    kind,
    status: more.status ?? null,
    retryAfterMs: more.retryAfterMs ?? null,
    message: hideSecrets(`${provider}: ${what}`, key),
  };
  return new ModelCallError(failure, more.cause === undefined ? undefined : withoutRequest(more.cause, key));
}

/** The error that a provider reported. */
export function saidError(source: FailureSource, said: SaidError): ModelCallError {
  const words = said.message === "" ? said.names.join(" ") : said.message;
  const status = said.status === null ? "" : `answers ${said.status}`;
  const what = [status, words].filter((one) => one !== "").join(": ") || "failed without saying why";
  return modelError(source, classifyError(said), what, { status: said.status, retryAfterMs: said.retryAfterMs });
}

/**
 * Turns anything thrown during a call into a `ModelCallError`. `usage` is the usage before it, as far as it is known.
 * SDK errors are recognised by their members, not with `instanceof`, because each SDK is a separate bundle.
 */
export function toModelError(
  source: FailureSource,
  thrown: unknown,
  usage: TokenUsage = noUsage,
  isUsageWhole = false,
): ModelCallError {
  const known = findModelError(thrown);
  const error = known ?? judge(source, thrown);
  return usage === noUsage ? error : new ModelCallError(error.failure, error.cause, usage, isUsageWhole);
}

function judge(source: FailureSource, thrown: unknown): ModelCallError {
  const code = findSystemCode(thrown);
  const text = textOf(thrown);
  if (/ended without a finish reason/.test(text)) return modelError(source, "cut-off", "the stream ended too early");
  if (TIMEOUT_CODES.has(code)) return modelError(source, "timeout", `does not answer (${code})`, { cause: thrown });
  if (text === "terminated" || BROKEN_CODES.has(code))
    return modelError(source, "cut-off", `the connection broke (${code || text})`, { cause: thrown });
  if (code !== "" || /fetch failed|cannot connect/i.test(text))
    return modelError(source, "unreachable", `cannot be reached (${code || text})`, { cause: thrown });
  if (isRecord(thrown) && /JSONParse|TypeValidation|InvalidResponseData|NoContent|EmptyResponse/.test(nameOf(thrown)))
    return modelError(source, "malformed", "the answer does not follow the protocol", { cause: thrown });
  const said = saidIn(thrown);
  return said === null
    ? modelError(source, "malformed", `the answer cannot be read: ${text}`, { cause: thrown })
    : saidError(source, said);
}

/** An error in a stream, as SDKs pass it on: `{type, code, statusCode, message, data}`. */
function saidIn(thrown: unknown): SaidError | null {
  if (!isRecord(thrown)) return null;
  const data = isRecord(thrown["data"]) ? readSaidError(thrown["data"]) : { names: [], message: "" };
  const own = readSaidError(thrown);
  const status = thrown["statusCode"];
  const names = [...own.names, ...data.names];
  if (names.length === 0 && typeof status !== "number") return null;
  return {
    status: typeof status === "number" && status >= 400 ? status : null,
    names,
    message: textOf(thrown) || own.message || data.message,
    retryAfterMs: null,
  };
}

/** An SDK may wrap what our own fetch threw. */
function findModelError(thrown: unknown): ModelCallError | null {
  for (let one = thrown, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++)
    if (one instanceof ModelCallError) return one;
  return null;
}

function findSystemCode(thrown: unknown): string {
  for (let one = thrown, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++) {
    const code = (one as { readonly code?: unknown }).code;
    if (typeof code === "string" && /^(?:E[A-Z]+|UND_ERR_\w+|[A-Z_]*CERT[A-Z_]*)$/.test(code)) return code;
  }
  return "";
}

const TIMEOUT_CODES = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"]);
/** Here these occur only after the answer began. Before that, `wireFetch` reports `unreachable`. */
const BROKEN_CODES = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_ABORTED"]);

/** Keeps only the message and the stack, because an SDK's error holds the whole request. */
function withoutRequest(cause: unknown, key: string | null): Error {
  const clean = new Error(hideSecrets(textOf(cause), key));
  clean.name = cause instanceof Error ? cause.name : "Error";
  clean.stack = `${clean.name}: ${clean.message}\n${stackOf(cause)}`;
  return clean;
}

function stackOf(cause: unknown): string {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}

function hideSecrets(text: string, key: string | null): string {
  const bare = key === null ? text : text.replaceAll(key, "[redacted]");
  const clean = redact(bare.replaceAll(/\s+/g, " ").trim());
  return clean.length <= MOST_CHARACTERS ? clean : `${clean.slice(0, MOST_CHARACTERS)}…`;
}

function textOf(thrown: unknown): string {
  const message = thrown instanceof Error || isRecord(thrown) ? (thrown as { message?: unknown }).message : thrown;
  return typeof message === "string" ? message : "";
}

function nameOf(thrown: object): string {
  const name = (thrown as { readonly name?: unknown }).name;
  return typeof name === "string" ? name : "";
}
