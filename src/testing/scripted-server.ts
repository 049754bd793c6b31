import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One turn of the scripted model. */
export type ScriptedTurn =
  | { readonly text: string }
  | { readonly text?: string; readonly calls: readonly ScriptedCall[] }
  | { readonly error: { readonly status: number; readonly type: string; readonly message: string } };

export type SpokenTurn = Exclude<ScriptedTurn, { readonly error: unknown }>;

export interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The tool's namespace in the Responses API; default: the one in which the request offered the tool. */
  readonly namespace?: string;
}

export interface ModelRequest {
  /** When it arrived, in milliseconds. */
  readonly at: number;
  readonly path: string;
  /** The parsed body; null if it was not a JSON object. */
  readonly body: unknown;
}

export interface ScriptedServer {
  /** The base URL for clients. */
  readonly url: string;
  /** All requests of the client, in order. */
  readonly requests: readonly ModelRequest[];
  /** The number of unused turns. */
  remaining(): number;
  close(): Promise<void>;
}

export interface ScriptedRequest {
  readonly path: string;
  readonly body: unknown;
  /** Takes the next turn; after the end of the script, a final text. */
  next(): ScriptedTurn;
}

/** A server on loopback that plays a script as the model; `respond` encodes it for an API. */
export async function scriptedServer(
  turns: readonly ScriptedTurn[],
  respond: (response: ServerResponse, request: ScriptedRequest) => void,
): Promise<ScriptedServer> {
  const requests: ModelRequest[] = [];
  const left = [...turns];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      requests.push({ at: performance.now(), path, body });
      respond(response, { path, body, next: () => left.shift() ?? { text: "Done." } });
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

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  // A probe may come without a body, or with one that is not JSON.
  return text.startsWith("{") ? (JSON.parse(text) as unknown) : null;
}
