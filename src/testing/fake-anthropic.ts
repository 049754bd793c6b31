import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../lib/clock.ts";

/** What the scripted model says in one turn. */
export type ScriptedTurn =
  | { readonly text: string }
  | { readonly text?: string; readonly calls: readonly ScriptedCall[] }
  | { readonly error: { readonly status: number; readonly type: string; readonly message: string } };

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

export interface FakeAnthropic {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** Everything the client sent, in its order. */
  readonly requests: readonly ModelRequest[];
  /** Turns not asked for yet. */
  remaining(): number;
  close(): Promise<void>;
}

/**
 * The Messages API on loopback, with a script for a model: each request that offers tools takes the next turn.
 * Requests without tools (a client asking for a title, say) are answered aside and take none.
 */
export async function fakeAnthropic(turns: readonly ScriptedTurn[]): Promise<FakeAnthropic> {
  const requests: ModelRequest[] = [];
  const left = [...turns];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      requests.push({ at: systemClock.now(), path, body });
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

interface Asked {
  readonly path: string;
  readonly body: unknown;
  next(): ScriptedTurn;
}

interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
}

function answer(response: ServerResponse, asked: Asked): void {
  if (asked.path === "/v1/messages/count_tokens") return json(response, 200, { input_tokens: 100 });
  if (asked.path !== "/v1/messages") return failure(response, 404, "not_found_error", asked.path);
  const request = (asked.body ?? {}) as Request;
  const turn: ScriptedTurn = (request.tools ?? []).length > 0 ? asked.next() : { text: '{"title":"scripted"}' };
  if ("error" in turn) return failure(response, turn.error.status, turn.error.type, turn.error.message);
  const content = blocksOf(turn);
  const message = {
    id: `msg_${shortId()}`,
    type: "message",
    role: "assistant",
    model: request.model ?? "scripted",
    stop_reason: content.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 },
  };
  if (request.stream === true) stream(response, message, content);
  else json(response, 200, { ...message, content });
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

function blocksOf(turn: Exclude<ScriptedTurn, { readonly error: unknown }>): readonly Block[] {
  const text = turn.text === undefined ? [] : [{ type: "text" as const, text: turn.text }];
  const calls = "calls" in turn ? turn.calls : [];
  return [
    ...text,
    ...calls.map(({ tool, input }) => ({
      type: "tool_use" as const,
      id: `toolu_${shortId()}`,
      name: tool,
      input,
    })),
  ];
}

/** Server-sent events in the order of the real service: a client that counts on it is served as by that. */
function stream(response: ServerResponse, message: Readonly<Record<string, unknown>>, content: readonly Block[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  const { stop_reason, stop_sequence, usage, ...rest } = message;
  send("message_start", { message: { ...rest, content: [], stop_reason: null, stop_sequence: null, usage } });
  for (const [index, block] of content.entries()) {
    const isText = block.type === "text";
    send("content_block_start", { index, content_block: isText ? { ...block, text: "" } : { ...block, input: {} } });
    send("content_block_delta", {
      index,
      delta: isText
        ? { type: "text_delta", text: block.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
    });
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason, stop_sequence }, usage });
  send("message_stop", {});
  response.end();
}

function failure(response: ServerResponse, status: number, type: string, message: string): void {
  json(response, status, { type: "error", error: { type, message } });
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

function shortId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 24);
}
