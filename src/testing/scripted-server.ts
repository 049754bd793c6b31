import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sendAnswer, sendError, type SpokenAnswer } from "./send-answer.ts";

/** What the scripted model does in one turn: it answers, or the service returns an error. */
export type ScriptedTurn =
  | ({ readonly text: string } & TurnExtras)
  | ({ readonly text?: string; readonly calls: readonly ScriptedCall[] } & TurnExtras)
  | ({ readonly error: ScriptedError } & Pick<TurnExtras, "delayMs">);

export type SpokenTurn = Exclude<ScriptedTurn, { readonly error: unknown }>;

export interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The input as text on the wire, in APIs that send it as text. For example to send invalid JSON. */
  readonly raw?: string;
  /** The tool's namespace in the Responses API. Default: the one in which the request offered it. */
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
  /** What the model thinks before it answers. If the API has signatures, the client's next request sends the signature back. */
  readonly reasoning?: { readonly text: string; readonly signature?: string };
  /** Tokens. Defaults: 100 in, 20 out, 0 for the others. */
  readonly usage?: ScriptedUsage;
  /** Why the model stopped early: it reached its token limit, or it refused to answer. */
  readonly stop?: "length" | "refusal";
  /** How many pieces a stream splits each text and each call's input into. Default: 1. */
  readonly pieces?: number;
  /** How long the server waits before the first byte, and between two events of a stream. */
  readonly delayMs?: number;
  readonly pauseMs?: number;
  readonly fault?: ScriptedFault;
}

/** `in` includes `cached` and `cacheWrite`; `out` includes `reasoning`. */
export interface ScriptedUsage {
  readonly in?: number;
  readonly out?: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/**
 * What goes wrong while the answer is sent. `after` counts events of the stream; an answer without a stream counts as one.
 * - `half-closed`: the connection closes normally before the stream is complete.
 * - `reset`: the connection is reset.
 * - `silence`: the server sends nothing more, and the connection stays open.
 * - `truncated`: the next event has only the first half of its JSON, and the stream ends.
 * - `error-event`: the next event is an error in the API's own format.
 * - `trickle`: the server sends one character at a time, with a pause after each.
 * - `wrong-type`: the server answers with status 200 and an HTML page.
 */
export type ScriptedFault =
  | { readonly kind: "half-closed" | "reset" | "silence" | "truncated"; readonly after: number }
  | { readonly kind: "error-event"; readonly after: number; readonly type: string; readonly message: string }
  | { readonly kind: "trickle"; readonly everyMs: number }
  | { readonly kind: "wrong-type"; readonly type?: string };

export interface ModelRequest {
  /** When the request arrived, in milliseconds. */
  readonly at: number;
  readonly path: string;
  readonly method: string;
  /** The part after the question mark. */
  readonly query: string;
  /** All headers, including the key. */
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; null if it is not a JSON object. */
  readonly body: unknown;
}

/** The turns in order, or a function that returns the turn for a request. */
export type Script = readonly ScriptedTurn[] | ((request: ModelRequest, at: number) => ScriptedTurn);

export interface ScriptOptions {
  /** True: every request to the model takes a turn. Default: only requests that offer tools, because clients also ask for titles and the like. */
  readonly everyRequest?: boolean;
  /** Listen here, for a server that was closed and comes back. Default: a free port. */
  readonly port?: number;
}

export interface ScriptedServer {
  /** The base URL for clients. */
  readonly url: string;
  /** All requests, in order. */
  readonly requests: readonly ModelRequest[];
  /** The number of turns left. */
  remaining(): number;
  close(): Promise<void>;
}

/** The wire format of an API. */
export interface ScriptedApi {
  /** The answer to a request that is not for the model (a list of models, a count of tokens), or null. */
  aside(request: ModelRequest): object | null;
  /** Null if there is nothing at that path. */
  readsRequest(request: ModelRequest): { readonly offersTools: boolean } | null;
  /** The answer to requests that take no turn. */
  sideTurn(request: ModelRequest): SpokenTurn;
  speak(request: ModelRequest, turn: SpokenTurn): SpokenAnswer;
  errorBody(error: ScriptedError): object;
  errorChunk(type: string, message: string): string;
}

/** Serves a script on loopback, in the format of an API. */
export async function scriptedServer(
  script: Script,
  api: ScriptedApi,
  { everyRequest = false, port = 0 }: ScriptOptions = {},
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
    const turn = readReasoning(everyRequest || asked.offersTools ? next(request) : api.sideTurn(request));
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
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
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

/** A script in JavaScript may have a plain text there. */
function readReasoning(turn: ScriptedTurn): ScriptedTurn {
  const { reasoning }: { readonly reasoning?: unknown } = "error" in turn ? {} : turn;
  return typeof reasoning === "string" ? ({ ...turn, reasoning: { text: reasoning } } as ScriptedTurn) : turn;
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
  // A probe may have no body, or one that is not JSON.
  const body = text.startsWith("{") ? (JSON.parse(text) as unknown) : null;
  return { at: performance.now(), path, query, method: incoming.method ?? "", headers: incoming.headers, body };
}
