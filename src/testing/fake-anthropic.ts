import { randomUUID } from "node:crypto";
import {
  type ModelRequest,
  type Script,
  type ScriptedApi,
  type ScriptedServer,
  scriptedServer,
  type ScriptOptions,
} from "./scripted-server.ts";
import { callsOf, piecesOf, tokensOf } from "./scripted-turn.ts";
import type { SpokenTurn } from "./scripted-server.ts";
import type { SpokenAnswer } from "./send-answer.ts";

/** Use its address as `ANTHROPIC_BASE_URL`. */
export type FakeAnthropic = ScriptedServer;

/**
 * The Messages API on loopback, with a script instead of a model. Each request that offers tools takes the next turn.
 * Requests without tools, such as one for a title, get a fixed answer and take no turn, unless `everyRequest` is set.
 */
export function fakeAnthropic(script: Script, options?: ScriptOptions): Promise<FakeAnthropic> {
  return scriptedServer(script, api, options);
}

interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
}

const api: ScriptedApi = {
  aside: ({ path }) => {
    if (path === "/v1/messages/count_tokens") return { input_tokens: 100 };
    if (path !== "/v1/models") return null;
    return { data: [{ type: "model", id: "scripted", display_name: "Scripted" }], has_more: false };
  },
  readsRequest: (request) =>
    request.path === "/v1/messages" ? { offersTools: (bodyOf(request).tools ?? []).length > 0 } : null,
  sideTurn: () => ({ text: '{"title":"scripted"}' }),
  speak,
  errorBody: ({ type, message }) => ({ type: "error", error: { type, message } }),
  errorChunk: (type, message) => event("error", { error: { type, message } }),
};

function bodyOf({ body }: ModelRequest): Request {
  return (body ?? {}) as Request;
}

function speak(incoming: ModelRequest, turn: SpokenTurn): SpokenAnswer {
  const request = bodyOf(incoming);
  const content = blocksOf(turn);
  const tokens = tokensOf(turn);
  const message = {
    id: `msg_${shortId()}`,
    type: "message",
    role: "assistant",
    model: request.model ?? "scripted",
    stop_reason: stopReason(turn),
    stop_sequence: null,
    usage: {
      input_tokens: tokens.in - tokens.cached - tokens.cacheWrite,
      cache_creation_input_tokens: tokens.cacheWrite,
      cache_read_input_tokens: tokens.cached,
      output_tokens: tokens.out,
      ...(tokens.reasoning > 0 ? { output_tokens_details: { thinking_tokens: tokens.reasoning } } : {}),
    },
  };
  return request.stream === true
    ? { kind: "stream", type: "text/event-stream", chunks: eventsOf(message, content, turn) }
    : { kind: "json", body: { ...message, content } };
}

function stopReason(turn: SpokenTurn): string {
  if (turn.stop !== undefined) return turn.stop === "length" ? "max_tokens" : "refusal";
  return callsOf(turn).length > 0 ? "tool_use" : "end_turn";
}

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

/** What a client must not see of a block: its input as a script wants it on the wire. */
const rawInputs = new WeakMap<Block, string>();

function blocksOf(turn: SpokenTurn): readonly Block[] {
  const { reasoning } = turn;
  const thinking = reasoning && { thinking: reasoning.text, signature: reasoning.signature ?? `sig_${shortId()}` };
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, ...thinking }]),
    ...(turn.text === undefined ? [] : [{ type: "text" as const, text: turn.text }]),
    ...callsOf(turn).map(({ tool, input, raw }) => {
      const block = { type: "tool_use" as const, id: `toolu_${shortId()}`, name: tool, input };
      if (raw !== undefined) rawInputs.set(block, raw);
      return block;
    }),
  ];
}

/** Sends events in the order of the real service, because clients may rely on it. */
function eventsOf(message: Message, content: readonly Block[], turn: SpokenTurn): readonly string[] {
  const { stop_reason, stop_sequence, usage, ...rest } = message;
  const begun = { ...rest, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
  return [
    event("message_start", { message: begun }),
    event("ping", {}),
    ...content.flatMap((block, index) => [
      event("content_block_start", { index, content_block: emptied(block) }),
      ...deltasOf(block, turn).map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", { delta: { stop_reason, stop_sequence }, usage }),
    event("message_stop", {}),
  ];
}

interface Message extends Readonly<Record<string, unknown>> {
  readonly stop_reason: string;
  readonly stop_sequence: null;
  readonly usage: object;
}

function emptied(block: Block): object {
  if (block.type === "text") return { ...block, text: "" };
  return block.type === "tool_use" ? { ...block, input: {} } : { ...block, thinking: "", signature: "" };
}

function deltasOf(block: Block, turn: SpokenTurn): readonly object[] {
  if (block.type === "text") return piecesOf(block.text, turn).map((text) => ({ type: "text_delta", text }));
  if (block.type === "tool_use")
    return piecesOf(rawInputs.get(block) ?? JSON.stringify(block.input), turn).map((partial_json) => ({
      type: "input_json_delta",
      partial_json,
    }));
  return [
    ...piecesOf(block.thinking, turn).map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature: block.signature },
  ];
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function shortId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 24);
}
