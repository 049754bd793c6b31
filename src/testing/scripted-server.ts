import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the scripted model says in one turn. */
export type ScriptedTurn =
  | { readonly text: string }
  | { readonly text?: string; readonly calls: readonly ScriptedCall[] }
  | { readonly error: { readonly status: number; readonly type: string; readonly message: string } };

export type SpokenTurn = Exclude<ScriptedTurn, { readonly error: unknown }>;

export interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** In the Responses API, where the tool is; without it, where the request offered one of that name. */
  readonly namespace?: string;
}

export interface ModelRequest {
  /** When it came, in milliseconds. */
  readonly at: number;
  readonly path: string;
  /** As it came over the wire; null where it was no JSON. */
  readonly body: unknown;
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

export interface ScriptedRequest {
  readonly path: string;
  readonly body: unknown;
  /** The turn it takes; past the end of the script the model is done. */
  next(): ScriptedTurn;
}

/** A script for a model, on loopback; how it is spoken is the API's, and given. */
export async function scriptedServer(
  turns: readonly ScriptedTurn[],
  answer: (response: ServerResponse, asked: ScriptedRequest) => void,
): Promise<ScriptedServer> {
  const requests: ModelRequest[] = [];
  const left = [...turns];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      requests.push({ at: performance.now(), path, body });
      answer(response, { path, body, next: () => left.shift() ?? { text: "Done." } });
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
  // A probe may come without a body, or with one that is none of ours.
  return text.startsWith("{") ? (JSON.parse(text) as unknown) : null;
}
