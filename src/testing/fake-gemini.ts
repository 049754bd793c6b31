import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelRequest, ScriptedTurn } from "./fake-anthropic.ts";

export interface FakeGemini {
  /** For `GOOGLE_GEMINI_BASE_URL`. */
  readonly url: string;
  /** Everything the client sent, in its order. */
  readonly requests: readonly ModelRequest[];
  /** Turns not asked for yet. */
  remaining(): number;
  close(): Promise<void>;
}

/**
 * Gemini's generateContent, whole and as a stream, on loopback with a script for a model: each request that offers
 * tools takes the next turn. Requests without tools (a client choosing a model, say) are answered aside and take none.
 */
export async function fakeGemini(turns: readonly ScriptedTurn[]): Promise<FakeGemini> {
  const requests: ModelRequest[] = [];
  const left = [...turns];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      requests.push({ at: performance.now(), path, body });
      answer(response, { path, body: (body ?? {}) as Request, next: () => left.shift() ?? { text: "Done." } });
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

interface Asked {
  readonly path: string;
  readonly body: Request;
  next(): ScriptedTurn;
}

interface Request {
  readonly tools?: readonly { readonly functionDeclarations?: readonly unknown[] }[];
  readonly generationConfig?: { readonly responseMimeType?: string };
}

function answer(response: ServerResponse, asked: Asked): void {
  const method = /:(\w+)$/.exec(asked.path)?.[1];
  if (method === "countTokens") return json(response, 200, { totalTokens: 100 });
  if (method !== "generateContent" && method !== "streamGenerateContent")
    return failure(response, 404, "NOT_FOUND", asked.path);
  const offered = (asked.body.tools ?? []).some((one) => (one.functionDeclarations ?? []).length > 0);
  const turn = offered ? asked.next() : aside(asked.body);
  if ("error" in turn) return failure(response, turn.error.status, turn.error.type, turn.error.message);
  const content = { role: "model", parts: partsOf(turn) };
  const reply = {
    candidates: [{ content, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    modelVersion: "scripted",
  };
  if (method === "generateContent") return json(response, 200, reply);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.end(`data: ${JSON.stringify(reply)}\n\n`);
}

/** A client that asks for JSON wants a choice between its models, or whose turn it is. */
function aside({ generationConfig }: Request): ScriptedTurn {
  const choice = { reasoning: "scripted", model_choice: "flash", next_speaker: "user" };
  return { text: generationConfig?.responseMimeType === "application/json" ? JSON.stringify(choice) : "scripted" };
}

function partsOf(turn: Exclude<ScriptedTurn, { readonly error: unknown }>): readonly object[] {
  const text = turn.text === undefined ? [] : [{ text: turn.text }];
  const calls = "calls" in turn ? turn.calls : [];
  return [...text, ...calls.map(({ tool, input }) => ({ functionCall: { name: tool, args: input } }))];
}

function failure(response: ServerResponse, status: number, type: string, message: string): void {
  json(response, status, { error: { code: status, status: type, message } });
}

function json(response: ServerResponse, status: number, body: object): void {
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
