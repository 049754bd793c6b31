import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import {
  type ScriptedRequest,
  sendJson,
  type ScriptedServer,
  scriptedServer,
  type ScriptedTurn,
  type SpokenTurn,
} from "./scripted-server.ts";

/** Use its address as `ANTHROPIC_BASE_URL`. */
export type FakeAnthropic = ScriptedServer;

/**
 * The Messages API on loopback, with a script as the model: each request with tools takes the next turn. Requests
 * without tools (such as for a title) get a fixed reply and take no turn.
 */
export function fakeAnthropic(turns: readonly ScriptedTurn[]): Promise<FakeAnthropic> {
  return scriptedServer(turns, respond);
}

interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
}

function respond(response: ServerResponse, incoming: ScriptedRequest): void {
  if (incoming.path === "/v1/messages/count_tokens") return sendJson(response, 200, { input_tokens: 100 });
  if (incoming.path !== "/v1/messages") return failure(response, 404, "not_found_error", incoming.path);
  const request = (incoming.body ?? {}) as Request;
  const turn: ScriptedTurn = (request.tools ?? []).length > 0 ? incoming.next() : { text: '{"title":"scripted"}' };
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
  else sendJson(response, 200, { ...message, content });
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

function blocksOf(turn: SpokenTurn): readonly Block[] {
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

/** Server-sent events in the order of the real service, because clients may rely on it. */
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
  sendJson(response, status, { type: "error", error: { type, message } });
}

function shortId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 24);
}
