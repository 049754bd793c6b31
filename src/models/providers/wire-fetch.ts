import { CLOSED } from "../../domain/model/failure.ts";
import { systemClock } from "../../lib/clock.ts";
import type { ModelCallError } from "../chat/chat.ts";
import { errorMessage, systemErrorCode } from "../../lib/errors.ts";
import { tryParseJson } from "../../lib/json.ts";
import { classifyError, readSaidError } from "./classify-error.ts";
import { type FailureSource, modelError, saidError, toModelError } from "./failures.ts";
import { readRetryAfter } from "./retry-after.ts";

export interface WireOptions extends FailureSource {
  readonly fetch: typeof fetch;
  /** What the answer must be: an event stream, JSON, or JSON lines. */
  readonly expects: "events" | "json" | "json-lines";
}

/** How much of an error's body is read, and how long that may take. */
const ERROR_BYTES = 64_000;
const ERROR_MS = 5_000;

/**
 * A `fetch` that throws a `ModelCallError` if there is no connection, the status is 300 or more, or the content type is wrong.
 * It follows no redirect, because the key in the header would go to the new address too.
 */
export function wireFetch(options: WireOptions): typeof fetch {
  return async (input, init) => {
    const response = await options.fetch(input, { ...init, redirect: "manual" }).catch((cause: unknown) => {
      if (init?.signal?.aborted === true) throw cause;
      throw beforeAnswer(options, cause);
    });
    if (!response.ok) throw await failedAnswer(options, response);
    const type = response.headers.get("content-type") ?? "";
    if (!fits[options.expects].test(type)) throw await wrongType(options, response, type);
    return response;
  };
}

// Some servers send no content type, or plain text.
const fits = {
  events: /^$|event-stream|octet-stream|text\/plain/,
  json: /^$|json|octet-stream|text\/plain/,
  "json-lines": /^$|json|octet-stream|text\/plain/,
};

/** A connection that breaks before the answer is `unreachable`; the same error in the middle of an answer is `cut-off`. */
function beforeAnswer(source: FailureSource, cause: unknown): ModelCallError {
  const error = toModelError(source, cause);
  if (error.failure.kind === "timeout") return error;
  const name = nameCause(cause);
  return modelError(source, "unreachable", HUNG_UP.has(name) ? CLOSED : `cannot be reached (${name})`, { cause });
}

/** There was a connection, and the other side ended it. */
const HUNG_UP = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** `ECONNREFUSED`, `ENOTFOUND` and the like, or the text of the error. */
function nameCause(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return systemErrorCode(inner) || errorMessage(inner);
}

async function failedAnswer(options: WireOptions, response: Response): Promise<ModelCallError> {
  const { status, headers } = response;
  const text = await readBeginning(response);
  if (status < 400) return modelError(options, "bad-request", "the address redirects to another one", { status });
  const body = tryParseJson(text);
  const said = { status, ...readSaidError(body), retryAfterMs: readRetryAfter(headers, body, systemClock.now()) };
  if (status !== 404 || classifyError(said) !== "bad-request") return saidError(options, said);
  // An unknown model is named in the answer, so the address is wrong.
  const words = said.message === "" ? "" : `: ${said.message}`;
  return modelError(options, "bad-request", `there is no such API at this address (404${words})`, { status });
}

/** Some gateways send an error as JSON with status 200. */
async function wrongType(options: WireOptions, response: Response, type: string): Promise<ModelCallError> {
  const body = tryParseJson(await readBeginning(response));
  const said = readSaidError(body);
  if (said.names.length > 0 && said.message !== "")
    return saidError(options, {
      status: null,
      ...said,
      retryAfterMs: readRetryAfter(response.headers, body, systemClock.now()),
    });
  const [bare = ""] = type.split(";");
  return modelError(options, "malformed", `answers with ${bare} instead of ${names[options.expects]}`, {
    status: response.status,
  });
}

const names = { events: "an event stream", json: "JSON", "json-lines": "JSON lines" };

/** Reads the start of an error's body. The body may be endless, slow or broken; the status is enough without it. */
async function readBeginning(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), ERROR_MS);
  let text = "";
  try {
    while (text.length < ERROR_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The part that was read is enough.
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => {});
  }
  return text;
}
