import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import {
  type ScriptedRequest,
  sendJson,
  type ScriptedCall,
  type ScriptedServer,
  scriptedServer,
  type ScriptedTurn,
  type SpokenTurn,
} from "./scripted-server.ts";

/** Its address includes the `/v1` that clients expect. */
export type FakeOpenAi = ScriptedServer;

/**
 * The Responses and the Chat Completions API on loopback, with a script as the model: each request with tools takes
 * the next turn. Requests without tools (such as for a title) get a fixed reply and take no turn.
 */
export async function fakeOpenAi(turns: readonly ScriptedTurn[]): Promise<FakeOpenAi> {
  const server = await scriptedServer(turns, respond);
  return { ...server, url: `${server.url}/v1` };
}

interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly Tool[];
}

/** A tool of either API; a namespace contains tools. */
interface Tool {
  readonly type?: string;
  readonly name?: string;
  readonly tools?: readonly Tool[];
}

function respond(response: ServerResponse, incoming: ScriptedRequest): void {
  if (incoming.path.endsWith("/models"))
    return sendJson(response, 200, { object: "list", data: [{ id: "scripted", object: "model" }], models: [] });
  const reply = incoming.path.endsWith("/responses")
    ? inResponses
    : incoming.path.endsWith("/chat/completions")
      ? inChat
      : null;
  if (reply === null) return failure(response, 404, "not_found", incoming.path);
  const request = (incoming.body ?? {}) as Request;
  const offered = (request.tools ?? []).length > 0;
  const turn: ScriptedTurn = offered ? incoming.next() : { text: "scripted" };
  if ("error" in turn) return failure(response, turn.error.status, turn.error.type, turn.error.message);
  reply(response, request, turn);
}

// Responses

function inResponses(response: ServerResponse, request: Request, turn: SpokenTurn): void {
  const output = [
    ...(turn.text === undefined ? [] : [messageItem(turn.text)]),
    ...callsOf(turn).map((call) => callItem(call, request.tools ?? [])),
  ];
  const begun = {
    id: `resp_${shortId()}`,
    object: "response",
    created_at: 0,
    model: request.model ?? "scripted",
    status: "in_progress",
    output: [],
  };
  const done = {
    ...begun,
    status: "completed",
    output,
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120,
    },
  };
  if (request.stream !== true) return sendJson(response, 200, done);
  const events: readonly StreamEvent[] = [
    { type: "response.created", response: begun },
    ...output.flatMap((item, index) => itemEvents(item, index)),
    { type: "response.completed", response: done },
  ];
  stream(
    response,
    events.map(
      (event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
    ),
  );
}

type Item = ReturnType<typeof messageItem> | ReturnType<typeof callItem>;

function messageItem(text: string) {
  return {
    type: "message" as const,
    id: `msg_${shortId()}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

/**
 * In the form the client offered: a tool that takes free text gets the input's only value; a tool in a namespace is
 * called with it.
 */
function callItem({ tool, input, namespace: named }: ScriptedCall, offered: readonly Tool[]) {
  const base = { call_id: `call_${shortId()}`, name: tool, status: "completed" };
  const takesText = offered.some((one) => one.name === tool && one.type === "custom");
  if (takesText)
    return {
      type: "custom_tool_call" as const,
      id: `ctc_${shortId()}`,
      ...base,
      input: String(Object.values(input)[0]),
    };
  const home = named ?? offered.find((one) => one.tools?.some((inner) => inner.name === tool))?.name;
  const namespace = home === undefined ? {} : { namespace: home };
  return {
    type: "function_call" as const,
    id: `fc_${shortId()}`,
    ...base,
    ...namespace,
    arguments: JSON.stringify(input),
  };
}

type StreamEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** In the order of the real service, because clients may rely on it. */
function itemEvents(item: Item, output_index: number): readonly StreamEvent[] {
  const at = { item_id: item.id, output_index };
  const added = { type: "response.output_item.added", output_index };
  const ended = { type: "response.output_item.done", output_index, item };
  if (item.type === "function_call") {
    return [
      { ...added, item: { ...item, status: "in_progress", arguments: "" } },
      { type: "response.function_call_arguments.delta", ...at, delta: item.arguments },
      { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
      ended,
    ];
  }
  if (item.type === "custom_tool_call") {
    return [
      { ...added, item: { ...item, status: "in_progress", input: "" } },
      { type: "response.custom_tool_call_input.delta", ...at, delta: item.input },
      { type: "response.custom_tool_call_input.done", ...at, input: item.input },
      ended,
    ];
  }
  const [part] = item.content;
  const inside = { ...at, content_index: 0 };
  return [
    { ...added, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...inside, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...inside, delta: part?.text },
    { type: "response.output_text.done", ...inside, text: part?.text },
    { type: "response.content_part.done", ...inside, part },
    ended,
  ];
}

// Chat Completions

function inChat(response: ServerResponse, request: Request, turn: SpokenTurn): void {
  const calls = callsOf(turn).map(({ tool, input }) => ({
    id: `call_${shortId()}`,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const base = { id: `chatcmpl-${shortId()}`, created: 0, model: request.model ?? "scripted" };
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  if (request.stream !== true) {
    const reply = { role: "assistant", content: turn.text ?? null };
    const message = calls.length > 0 ? { ...reply, tool_calls: calls } : reply;
    return sendJson(response, 200, {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, finish_reason, message }],
      usage,
    });
  }
  const chunk = (choices: readonly object[], rest: object = {}) =>
    `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...rest })}\n\n`;
  const delta = (fields: object, reason: string | null = null) =>
    chunk([{ index: 0, delta: fields, finish_reason: reason }]);
  stream(response, [
    delta({ role: "assistant", content: "" }),
    ...(turn.text === undefined ? [] : [delta({ content: turn.text })]),
    ...calls.map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
    delta({}, finish_reason),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ]);
}

// Both

function callsOf(turn: SpokenTurn): readonly ScriptedCall[] {
  return "calls" in turn ? turn.calls : [];
}

function stream(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of events) response.write(event);
  response.end();
}

function failure(response: ServerResponse, status: number, type: string, message: string): void {
  sendJson(response, status, { error: { type, code: type, message } });
}

function shortId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 24);
}
