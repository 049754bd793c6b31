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
  /** Of the last attempt; null if it was answered. */
  readonly failure: ModelFailureKind | null;
  /** Attempts before the last one. */
  readonly failed: readonly FailedAttempt[];
  /** When the last attempt began. */
  readonly attemptAt: number;
}

/**
 * Asks the same provider again, a few times, if nothing was answered: no connection, a busy provider, an error of its own.
 * The client has seen no byte yet. The last answer is handed on whatever it is.
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

/** The client chose the model and its provider, so there is no other one; and nothing has reached it. */
const ALONE = { hasBegun: false, mayRestart: false, hasNext: false } as const;

interface FoundFailure {
  readonly kind: ModelFailureKind;
  readonly retryAfterMs: number | null;
  /** The provider says that asking again does not help. */
  readonly isFinal: boolean;
}

function findFailure(exchange: Exchange, now: number): FoundFailure | null {
  if (exchange.kind === "failed") return { kind: exchange.failure, retryAfterMs: null, isFinal: false };
  const { response, first } = exchange;
  const { statusCode = 0, headers } = response;
  const text = headers["content-encoding"] === undefined ? first.toString("utf8") : "";
  if (statusCode < 400) {
    // A stream may begin with its error, although the status was good.
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

/** Ends early if the client goes away. */
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
