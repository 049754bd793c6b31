import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../../config.ts";
import { explainCapHit } from "../../domain/model/caps.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { tryParseJson } from "../../lib/json.ts";
import type { Db } from "../../store/engine/db.ts";
import { healingPolicy } from "../gateway/gateway-parts.ts";
import type { PriceTable } from "../prices/prices.ts";
import { newAnswerReader } from "./answer-reader.ts";
import { isSubscription, readCaller } from "./caller.ts";
import { canDecode, decodeBody } from "./encodings.ts";
import { shapeError } from "./error-shape.ts";
import { openConnections } from "./exchange.ts";
import { type CallEnd, type Meter, openMeter } from "./meter.ts";
import { type AnswerState, noAnswer } from "./read-answer.ts";
import { type AskedCall, readAskedCall } from "./read-request.ts";
import { relayAnswer } from "./relay.ts";
import { readRequestBody } from "./request-body.ts";
import { type HealedExchange, sendHealing } from "./send-healing.ts";
import { findUpstream, type OwnServer, type Upstream } from "./upstream.ts";
import type { WireApi, WireRoute } from "./wire-api.ts";

export interface PassThroughOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, "providers" | "policy">;
  readonly prices: () => Promise<PriceTable>;
  readonly own: () => OwnServer;
  /** Takes a line for the server's terminal. */
  readonly say: (line: string) => void;
  readonly idleMs?: number;
  readonly bodyBytes?: number;
}

/** Serves model APIs to clients: each request goes on to its provider, capped, accounted and healed, and otherwise unchanged. */
export interface PassThrough {
  /** Host, origin and token were checked. */
  answer(asked: PassedRequest): Promise<void>;
  /** Ends when every call is settled. */
  close(): Promise<void>;
}

export interface PassedRequest {
  readonly route: WireRoute;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client sent our token as its credential: the key comes from our environment. */
  readonly usesOwnKey: boolean;
}

/** The largest request that Anthropic takes. */
const BODY_BYTES = 32 * 1024 * 1024;
/** Longer than any client waits by itself: a model may think for minutes. */
const IDLE_MS = 15 * 60_000;

export function openPassThrough(options: PassThroughOptions): PassThrough {
  const connections = openConnections();
  const running = new Set<Promise<void>>();
  const passing: Passing = {
    ...options,
    healer: { connections, clock: options.clock, policy: healingPolicy(options.config) },
    idleMs: options.idleMs ?? IDLE_MS,
    bodyBytes: options.bodyBytes ?? BODY_BYTES,
  };
  return {
    answer: async (asked) => {
      const work = passRequest(passing, asked).catch((error: unknown) => {
        options.say(`oldhand serve: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        sendRefusal(asked.response, asked.route.api, 500, "internal error; see the server's terminal for details");
      });
      running.add(work);
      await work;
      running.delete(work);
    },
    close: async () => {
      await Promise.all(running);
      connections.close();
    },
  };
}

interface Passing extends PassThroughOptions {
  readonly healer: Parameters<typeof sendHealing>[0];
  readonly idleMs: number;
  readonly bodyBytes: number;
}

async function passRequest(passing: Passing, { route, request, response, usesOwnKey }: PassedRequest): Promise<void> {
  const { api } = route;
  const refuse = (status: number, why: string) => sendRefusal(response, api, status, why);
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const body = await readRequestBody(request, passing.bodyBytes).catch(() => "gone" as const);
  if (body === "gone") return;
  if (body === null) return refuse(413, `the request is longer than ${passing.bodyBytes >> 20} MB`);
  const { headers, rawHeaders, method = "GET", url: path = "" } = request;
  const found = findUpstream({ api, path, headers, rawHeaders, usesOwnKey }, passing.config.providers, passing.own());
  if (found.kind === "refused") return refuse(found.status, found.why);
  const { upstream } = found;
  const counted = route.kind === "free" ? null : await countRequest(passing, { api, headers, body, upstream });
  if (counted !== null && counted.kind === "refused") return refuse(counted.status, counted.why);
  const meter = counted?.meter ?? null;
  if (gone.signal.aborted) return meter?.finish(goneEnd(passing.clock.now()));
  const healed = await sendHealing(passing.healer, {
    method,
    url: upstream.url,
    headers: upstream.headers,
    body: body.length === 0 ? null : body,
    idleMs: passing.idleMs,
    signal: gone.signal,
  });
  await passAnswer(passing, { api, response, upstream, meter, healed, call: counted?.id ?? null });
}

type CountedRequest =
  | { readonly kind: "counted"; readonly id: string; readonly meter: Meter }
  | { readonly kind: "refused"; readonly status: number; readonly why: string };

/** Reads what the request may cost, and reserves it. */
async function countRequest(
  { db, clock, config, prices, bodyBytes }: Passing,
  of: {
    readonly api: WireApi;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
    readonly upstream: Upstream;
  },
): Promise<CountedRequest> {
  const { api, headers, body, upstream } = of;
  const at = clock.now();
  const asked = readBody(api, headers["content-encoding"] ?? "identity", body, bodyBytes);
  if (typeof asked === "string") return { kind: "refused", status: 400, why: asked };
  const caller = readCaller(headers);
  const ref = { provider: upstream.provider, model: asked.model };
  const opened = await openMeter(
    { db, clock, prices: await prices(), unknownPrice: config.policy.models.unknownPrice },
    {
      id: newId("call", at),
      at,
      caller: { ...caller, session: caller.session ?? asked.session },
      ref,
      asked,
      listPrice: isSubscription(api, headers),
    },
  );
  const about = `the price of ${formatModelRef(ref)} is unknown`;
  if (opened.kind === "unknown-price") {
    const why = `${about}, and models.unknownPrice is refuse; models.prices names a file with prices of your own`;
    return { kind: "refused", status: 400, why };
  }
  if (opened.kind === "capped") {
    const unknown = `; ${about}, so it counts as the most expensive known one`;
    return { kind: "refused", status: 402, why: `${explainCapHit(opened.hit)}${opened.priceKnown ? "" : unknown}` };
  }
  return { kind: "counted", id: opened.meter.call, meter: opened.meter };
}

/** A text says why not. */
function readBody(api: WireApi, encoding: string, body: Buffer, limit: number): AskedCall | string {
  if (!canDecode(encoding)) return `a body with content-encoding ${encoding} cannot be read here; send it uncompressed`;
  try {
    const text = decodeBody(body, encoding, limit).toString("utf8");
    return readAskedCall(api, tryParseJson(text), text) ?? "the body is not JSON that names a model";
  } catch (error) {
    return `the body cannot be decoded: ${errorMessage(error)}`;
  }
}

interface PassedAnswer {
  readonly api: WireApi;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly meter: Meter | null;
  readonly call: string | null;
  readonly healed: HealedExchange;
}

async function passAnswer(passing: Passing, passed: PassedAnswer): Promise<void> {
  const { api, response, meter, upstream } = passed;
  const { exchange, failure, failed, attemptAt } = passed.healed;
  const finish = (end: Omit<CallEnd, "failed" | "attemptAt">) =>
    finishQuietly(passing, meter, { ...end, failed, attemptAt });
  if (exchange.kind === "failed") {
    const isGone = exchange.failure === "aborted";
    await finish(isGone ? goneEnd(attemptAt) : { outcome: "failed", failure, answer: null, firstTokenMs: null });
    if (!isGone)
      sendRefusal(
        response,
        api,
        502,
        `${upstream.provider} at ${upstream.url.origin} cannot be reached (${exchange.code})`,
      );
    return;
  }
  const from = exchange.response;
  const firstTokenMs = passing.clock.now() - attemptAt;
  const isAnswer = (from.statusCode ?? 0) < 400;
  const { "content-type": type, "content-encoding": encoding } = from.headers;
  const reader = meter !== null && isAnswer ? newAnswerReader(api, { type, encoding }) : null;
  const extra = passed.call === null ? [] : ["x-oldhand-call", passed.call];
  const endWith = (cause: Pick<CallEnd, "outcome" | "failure">) =>
    finish({ ...cause, answer: reader?.state() ?? null, firstTokenMs: isAnswer ? firstTokenMs : null });
  const end = await relayAnswer({
    from,
    to: response,
    reader,
    extra,
    onComplete: () => endWith(isAnswer ? judgeAnswer(reader?.state() ?? noAnswer) : { outcome: "failed", failure }),
  });
  if (end === "complete") return;
  await reader?.end();
  await endWith(
    end === "cut-off" ? { outcome: "failed", failure: "cut-off" } : { outcome: "aborted", failure: "aborted" },
  );
}

/** All bytes came. An answer without its last event was cut off by the provider, or by what is between. */
function judgeAnswer(answer: AnswerState): Pick<CallEnd, "outcome" | "failure"> {
  if (answer.failure !== null) return { outcome: "failed", failure: answer.failure };
  if (!answer.isEnded && answer.reported !== "all") return { outcome: "failed", failure: "cut-off" };
  return { outcome: "ok", failure: null };
}

/** The client went away before an answer began; the provider may charge for the prompt. */
function goneEnd(attemptAt: number): CallEnd {
  return { outcome: "aborted", failure: "aborted", answer: noAnswer, firstTokenMs: null, failed: [], attemptAt };
}

/** The answer is the client's, also where it cannot be stored; its reservation then counts as lost. */
async function finishQuietly({ say }: Passing, meter: Meter | null, end: CallEnd): Promise<void> {
  try {
    await meter?.finish(end);
  } catch (error) {
    say(`oldhand serve: a model call could not be settled: ${errorMessage(error)}`);
  }
}

/** If the answer has begun, the client can only be told by breaking it off. */
export function sendRefusal(response: ServerResponse, api: WireApi, status: number, why: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(status, {
    "content-type": "application/json",
    // The SDKs of both providers ask again if this is not said.
    "x-should-retry": status >= 500 ? "true" : "false",
    ...(status === 413 ? { connection: "close" } : {}),
  });
  response.end(shapeError(api, status, why));
}
