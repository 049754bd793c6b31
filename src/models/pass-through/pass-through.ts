import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../../config.ts";
import type { Placeholders } from "../../domain/model/placeholders.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage, OldhandError } from "../../lib/errors.ts";
import type { Db } from "../../store/engine/db.ts";
import { healingPolicy } from "../gateway/gateway-parts.ts";
import { openSessionPlaceholders } from "../gateway/session-placeholders.ts";
import type { PriceTable } from "../prices/prices.ts";
import { readCaller } from "./caller.ts";
import { openConnections } from "./exchange.ts";
import { type Hiding, hideSecrets } from "./hide-secrets.ts";
import { countRequest } from "./count-request.ts";
import type { CallEnd, Meter } from "./meter.ts";
import { passAnswer } from "./pass-answer.ts";
import { readBody } from "./read-body.ts";
import { readAskedCall } from "./read-request.ts";
import { type Refused, refused, sendRefusal } from "./refusal.ts";
import { readRequestBody } from "./request-body.ts";
import { type HealedExchange, type Healer, sendHealing } from "./send-healing.ts";
import { findUpstream, type OwnServer, type Upstream } from "./upstream.ts";
import type { WireRoute } from "./wire-api.ts";

export interface PassThroughOptions {
  readonly db: Db;
  readonly clock: Clock;
  /** Asked with every request: the settings may change while the server runs. */
  readonly config: () => Pick<Config, "providers" | "policy">;
  readonly prices: () => Promise<PriceTable>;
  readonly own: () => OwnServer;
  /** Asked with every request, because it may be switched at any time. */
  readonly isOff: () => boolean;
  /** Takes a line for the server's terminal. */
  readonly say: (line: string) => void;
  readonly idleMs?: number;
}

/** Serves model APIs to clients. Forwards each request to its provider, checks the caps, counts the cost and retries after failures. */
export interface PassThrough {
  /** The caller has checked host, origin and token. */
  answer(asked: PassedRequest): Promise<void>;
  /** Resolves when every call is settled. */
  close(): Promise<void>;
}

export interface PassedRequest {
  readonly route: WireRoute;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client sent our token as its credential: the key comes from our environment. */
  readonly usesOwnKey: boolean;
}

/** The largest request that Anthropic takes: 32 MB. */
const BODY_BYTES = 32 * 1024 * 1024;
/** Longer than any client waits, because a model may think for minutes. */
const IDLE_MS = 15 * 60_000;

export function openPassThrough(options: PassThroughOptions): PassThrough {
  const { clock, db } = options;
  const connections = openConnections();
  const running = new Set<Promise<void>>();
  const placeholders = openSessionPlaceholders(db);
  const beginPassing = (): Passing => {
    const config = options.config();
    return {
      ...options,
      config,
      idleMs: options.idleMs ?? IDLE_MS,
      healer: { connections, clock, policy: healingPolicy(config) },
      hiding: { placeholders, secretsTo: config.policy.models.secretsTo, isOff: options.isOff },
    };
  };
  return {
    answer: async (asked) => {
      const work = passRequest(beginPassing(), asked).catch((error: unknown) => {
        // Such as a mistake in the price file.
        if (error instanceof OldhandError && error.code === "config") {
          const hint = error.hint === undefined ? "" : `; ${error.hint}`;
          return sendRefusal(asked.response, asked.route.api, { status: 400, why: `${error.message}${hint}` });
        }
        options.say(`oldhand serve: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        sendRefusal(asked.response, asked.route.api, {
          status: 500,
          why: "internal error; see the server's terminal for details",
        });
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

interface Passing extends Omit<PassThroughOptions, "config"> {
  readonly config: ReturnType<PassThroughOptions["config"]>;
  readonly idleMs: number;
  readonly healer: Healer;
  readonly hiding: Hiding;
}

async function passRequest(passing: Passing, asked: PassedRequest): Promise<void> {
  const { response, route } = asked;
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const begun = await beginCall(passing, asked, gone.signal);
  if (begun === null) return;
  if (begun.kind === "refused") return sendRefusal(response, route.api, begun);
  const { meter } = begun;
  const finish = (end: CallEnd) => finishQuietly(passing, meter, end);
  try {
    await passAnswer({ ...begun, ...passing, api: route.api, response, call: meter?.call ?? null, finish });
  } finally {
    await finish(brokenEnd(passing));
  }
}

interface BegunCall {
  readonly kind: "begun";
  readonly upstream: Upstream;
  readonly meter: Meter | null;
  readonly placeholders: Placeholders | null;
  readonly healed: HealedExchange;
}

/** Runs until the first byte of the answer arrives. The request's body is in memory only until then. Null if the client has disconnected. */
async function beginCall(
  passing: Passing,
  { route, request, usesOwnKey }: PassedRequest,
  signal: AbortSignal,
): Promise<BegunCall | Refused | null> {
  const { api } = route;
  const { headers, rawHeaders, method = "GET", url: path = "" } = request;
  const body = await readRequestBody(request, BODY_BYTES).catch(() => "gone" as const);
  if (body === "gone") return null;
  if (body === null) return refused(413, "the request is longer than 32 MB");
  const found = findUpstream({ api, path, headers, rawHeaders, usesOwnKey }, passing.config.providers, passing.own());
  if (found.kind === "refused") return found;
  const { upstream } = found;
  const read = body.length === 0 ? null : readBody(body, headers["content-encoding"], BODY_BYTES);
  if (typeof read === "string") return refused(400, read);
  const asked = read === null ? null : readAskedCall(api, read.json, read.text);
  if (asked === null && route.kind === "model") return refused(400, "the body is not JSON that names a model");
  const named = readCaller(headers);
  const caller = { ...named, session: named.session ?? asked?.session ?? null };
  const outgoing = await hideSecrets(passing.hiding, { api, caller, upstream, body, read });
  if (signal.aborted) return null;
  const isFree = route.kind === "free" || asked === null;
  const counted = isFree ? null : await countRequest(passing, { api, caller, headers, asked, upstream, usesOwnKey });
  if (counted?.kind === "refused") return counted;
  const meter = counted?.meter ?? null;
  try {
    const { url } = upstream;
    const sent = { method, url, headers: outgoing.headers, body: outgoing.body, idleMs: passing.idleMs, signal };
    const healed = await sendHealing(passing.healer, sent);
    return { kind: "begun", upstream, meter, placeholders: outgoing.placeholders, healed };
  } catch (error) {
    await finishQuietly(passing, meter, brokenEnd(passing));
    throw error;
  }
}

/** The end of a call that failed through a bug of ours. Only the first end of a call counts, so it has no effect after another one. */
function brokenEnd({ clock }: Passing): CallEnd {
  const nothing = { answer: null, firstTokenMs: null, failed: [] };
  return { outcome: "failed", failure: "aborted", ...nothing, attemptAt: clock.now() };
}

/** If the call cannot be stored, the client still gets its answer, and the reservation later counts as lost. */
async function finishQuietly({ say }: Passing, meter: Meter | null, end: CallEnd): Promise<void> {
  try {
    await meter?.finish(end);
  } catch (error) {
    say(`oldhand serve: a model call could not be settled: ${errorMessage(error)}`);
  }
}
