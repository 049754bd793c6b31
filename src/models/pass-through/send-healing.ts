import type { ModelFailureKind } from "../../domain/model/failure.ts";
import { afterFailure, type HealingPolicy } from "../../domain/model/retry.ts";
import type { Clock } from "../../lib/clock.ts";
import { tryParseJson } from "../../lib/json.ts";
import { classifyError, readSaidError } from "../providers/classify-error.ts";
import { readRetryAfter } from "../providers/retry-after.ts";
import type { Connections, Exchange, SentRequest } from "./exchange.ts";
import type { FailedAttempt } from "./meter.ts";

export interface Healer {
  readonly connections: Connections;
  readonly clock: Clock;
  readonly policy: HealingPolicy;
}

export interface HealedExchange {
  readonly exchange: Exchange;
  /** The failure of the last attempt; null if it was answered. */
  readonly failure: ModelFailureKind | null;
  /** Attempts before the last one. */
  readonly failed: readonly FailedAttempt[];
  /** When the last attempt began. */
  readonly attemptAt: number;
}

/**
 * Retries with the same provider if there is no connection, or if the provider is busy or fails. The client has received no byte
 * yet. The last answer is passed on, even if it is an error.
 */
export async function sendHealing(healer: Healer, request: SentRequest): Promise<HealedExchange> {
  const failed: FailedAttempt[] = [];
  for (;;) {
    const attemptAt = healer.clock.now();
    const exchange = await healer.connections.send(request);
    const found = findFailure(exchange, healer.clock.now());
    const last = { exchange, failure: found?.kind ?? null, failed, attemptAt };
    if (found === null || found.isFinal) return last;
    const state = { triesHere: failed.length + 1, attempts: failed.length + 1, ...ALONE };
    const next = afterFailure(found, state, healer.policy, Math.random);
    if (next.kind !== "retry" || request.signal.aborted) return last;
    if (exchange.kind === "answered") exchange.response.destroy();
    failed.push({ at: attemptAt, ms: healer.clock.now() - attemptAt, failure: found.kind });
    await wait(next.waitMs, request.signal);
  }
}

/** The client chose the model, so no other one may follow; and nothing has reached the client yet. */
const ALONE = { hasBegun: false, mayRestart: false, hasNext: false, untried: 0 } as const;

interface FoundFailure {
  readonly kind: ModelFailureKind;
  readonly retryAfterMs: number | null;
  /** The provider says that a retry does not help. */
  readonly isFinal: boolean;
}

function findFailure(exchange: Exchange, now: number): FoundFailure | null {
  if (exchange.kind === "failed") return { kind: exchange.failure, retryAfterMs: null, isFinal: false };
  const { response, first } = exchange;
  const { statusCode = 0, headers } = response;
  const text = headers["content-encoding"] === undefined ? first.toString("utf8") : "";
  if (statusCode < 400) {
    // A stream may begin with an error although its status is 200.
    const data = /^event: error\r?\ndata: (.*)/.exec(text)?.[1];
    if (data === undefined) return null;
    const said = readSaidError(tryParseJson(data));
    return { kind: classifyError({ status: null, ...said, retryAfterMs: null }), retryAfterMs: null, isFinal: false };
  }
  const body = tryParseJson(text);
  const retryAfterMs = readRetryAfter(new Headers(retryHeaders(headers)), body, now);
  return {
    kind: classifyError({ status: statusCode, ...readSaidError(body), retryAfterMs }),
    retryAfterMs,
    isFinal: headers["x-should-retry"] === "false",
  };
}

function retryHeaders(headers: Readonly<Record<string, unknown>>): [string, string][] {
  return ["retry-after", "retry-after-ms"].flatMap((name): [string, string][] =>
    typeof headers[name] === "string" ? [[name, headers[name]]] : [],
  );
}

/** Ends early if the client disconnects. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const timer = setTimeout(stop, ms);
    signal.addEventListener("abort", stop);
  });
}
