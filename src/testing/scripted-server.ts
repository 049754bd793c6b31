import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sendAnswer, sendError, type SpokenAnswer } from "./send-answer.ts";

/** What the scripted model does in one turn: it speaks, or the service answers with an error. */
export type ScriptedTurn =
  | ({ readonly text: string } & TurnExtras)
  | ({ readonly text?: string; readonly calls: readonly ScriptedCall[] } & TurnExtras)
  | ({ readonly error: ScriptedError } & Pick<TurnExtras, "delayMs">);

export type SpokenTurn = Exclude<ScriptedTurn, { readonly error: unknown }>;

export interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The input as it goes over the wire, where an API sends it as text: for one that is not JSON. */
  readonly raw?: string;
  /** In the Responses API, where the tool is; without it, where the request offered one of that name. */
  readonly namespace?: string;
}

export interface ScriptedError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** The header `retry-after`: seconds, or an HTTP date. */
  readonly retryAfter?: number | string;
}

export interface TurnExtras {
  /** What the model thinks before it speaks. The signature goes back with the next request where the API has one. */
  readonly reasoning?: { readonly text: string; readonly signature?: string };
  /** Tokens; what is left out is 100 in, 20 out, and none of the others. */
  readonly usage?: ScriptedUsage;
  /** Why the model stopped, if not because it was done: it reached its most tokens, or it refused to answer. */
  readonly stop?: "length" | "refusal";
  /** In how many pieces a stream has each text and each input of a call. One if left out. */
  readonly pieces?: number;
  /** How long the server waits before the first byte, and between two events of a stream. */
  readonly delayMs?: number;
  readonly pauseMs?: number;
  readonly fault?: ScriptedFault;
}

/** As oldhand counts: `cached` and `cacheWrite` are part of `in`, `reasoning` is part of `out`. */
export interface ScriptedUsage {
  readonly in?: number;
  readonly out?: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/**
 * What goes wrong while the answer is sent. `after` counts events of the stream; an answer that is no stream has one.
 * - `half-closed`: the stream ends as if it were complete.
 * - `reset`: the connection is torn down.
 * - `silence`: nothing more comes, and the connection stays open.
 * - `truncated`: the next event has only the first half of its JSON, and the stream ends.
 * - `error-event`: the next event is an error, in the API's own form.
 * - `trickle`: the bytes come one by one, with a pause after each.
 * - `wrong-type`: status 200, and a page for people instead of an answer.
 */
export type ScriptedFault =
  | { readonly kind: "half-closed" | "reset" | "silence" | "truncated"; readonly after: number }
  | { readonly kind: "error-event"; readonly after: number; readonly type: string; readonly message: string }
  | { readonly kind: "trickle"; readonly everyMs: number }
  | { readonly kind: "wrong-type"; readonly type?: string };

export interface ModelRequest {
  /** When it came, in milliseconds. */
  readonly at: number;
  readonly path: string;
  readonly method: string;
  /** What stands after the question mark. */
  readonly query: string;
  /** All headers that came, the key among them. */
  readonly headers: IncomingHttpHeaders;
  /** As it came over the wire; null where it was no JSON. */
  readonly body: unknown;
}

/** The turns in their order, or a function that makes each from the request that takes it. */
export type Script = readonly ScriptedTurn[] | ((request: ModelRequest, at: number) => ScriptedTurn);

export interface ScriptOptions {
  /** Every request to the model takes a turn. If left out, only those that offer tools do: clients ask for titles and the like on the side. */
  readonly everyRequest?: boolean;
}

export interface ScriptedServer {
  /** What clients call a base URL. */
  readonly url: string;
  /** Everything the client sent, in its order. */
  readonly requests: readonly ModelRequest[];
  /** Turns not asked for yet. */
  remaining(): number;
  close(): Promise<void>;
}

/** How an API speaks. */
export interface ScriptedApi {
  /** The answer to a request that is not for the model (a list of models, a count of tokens), or null. */
  aside(request: ModelRequest): object | null;
  /** Null if there is nothing at that path. */
  readsRequest(request: ModelRequest): { readonly offersTools: boolean } | null;
  /** What it says to requests that take no turn. */
  sideTurn(request: ModelRequest): SpokenTurn;
  speak(request: ModelRequest, turn: SpokenTurn): SpokenAnswer;
  errorBody(error: ScriptedError): object;
  errorChunk(type: string, message: string): string;
}

/** A script for a model, on loopback. */
export async function scriptedServer(
  script: Script,
  api: ScriptedApi,
  { everyRequest = false }: ScriptOptions = {},
): Promise<ScriptedServer> {
  const requests: ModelRequest[] = [];
  const left = typeof script === "function" ? [] : [...script];
  let taken = 0;
  const next = (request: ModelRequest): ScriptedTurn =>
    typeof script === "function" ? script(request, taken++) : (left.shift() ?? { text: "Done." });

  const answer = async (response: ServerResponse, request: ModelRequest): Promise<void> => {
    const aside = api.aside(request);
    if (aside !== null) return sendJson(response, 200, aside);
    const asked = api.readsRequest(request);
    if (asked === null) {
      const error = { status: 404, type: "not_found_error", message: request.path };
      return sendError(response, error, api.errorBody(error));
    }
    const turn = everyRequest || asked.offersTools ? next(request) : api.sideTurn(request);
    if ("error" in turn) return sendError(response, turn.error, api.errorBody(turn.error), turn.delayMs);
    return sendAnswer(response, turn, api.speak(request, turn), api.errorChunk);
  };

  const server = createServer((incoming, response) => {
    response.on("error", () => {});
    void readRequest(incoming).then((request) => {
      requests.push(request);
      return answer(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    remaining: () => left.length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readRequest(incoming: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const [path = "", query = ""] = (incoming.url ?? "").split("?");
  // A probe may come without a body, or with one that is none of ours.
  const body = text.startsWith("{") ? (JSON.parse(text) as unknown) : null;
  return { at: performance.now(), path, query, method: incoming.method ?? "", headers: incoming.headers, body };
}
