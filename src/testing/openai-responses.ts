import { randomUUID } from "node:crypto";
import { callsOf, piecesOf, tokensOf } from "./scripted-turn.ts";
import type { ScriptedCall, SpokenTurn, TurnExtras } from "./scripted-server.ts";
import type { SpokenAnswer } from "./send-answer.ts";

export interface OpenAiRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly tools?: readonly OfferedTool[];
}

/** A tool of either API; a namespace holds tools of its own. */
export interface OfferedTool {
  readonly type?: string;
  readonly name?: string;
  readonly tools?: readonly OfferedTool[];
}

export function speakResponses(request: OpenAiRequest, turn: SpokenTurn): SpokenAnswer {
  const output: readonly Item[] = [
    ...(turn.reasoning === undefined ? [] : [reasoningItem(turn.reasoning)]),
    ...(turn.text === undefined ? [] : [messageItem(turn.text, turn.stop === "refusal")]),
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
  const isCut = turn.stop === "length";
  const tokens = tokensOf(turn);
  const done = {
    ...begun,
    status: isCut ? "incomplete" : "completed",
    ...(isCut ? { incomplete_details: { reason: "max_output_tokens" } } : {}),
    output,
    usage: {
      input_tokens: tokens.in,
      input_tokens_details: {
        cached_tokens: tokens.cached,
        ...(tokens.cacheWrite > 0 ? { cache_write_tokens: tokens.cacheWrite } : {}),
      },
      output_tokens: tokens.out,
      output_tokens_details: { reasoning_tokens: tokens.reasoning },
      total_tokens: tokens.in + tokens.out,
    },
  };
  if (request.stream !== true) return { kind: "json", body: done };
  const events: readonly StreamEvent[] = [
    { type: "response.created", response: begun },
    ...output.flatMap((item, index) => itemEvents(item, index, turn)),
    { type: isCut ? "response.incomplete" : "response.completed", response: done },
  ];
  const chunks = events.map(
    (event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
  );
  return { kind: "stream", type: "text/event-stream", chunks };
}

type Item = ReturnType<typeof reasoningItem> | ReturnType<typeof messageItem> | ReturnType<typeof callItem>;

function reasoningItem({ text, signature }: NonNullable<TurnExtras["reasoning"]>) {
  return {
    type: "reasoning" as const,
    id: `rs_${shortId()}`,
    summary: [{ type: "summary_text", text }],
    encrypted_content: signature ?? `enc_${shortId()}`,
  };
}

function messageItem(text: string, isRefusal: boolean) {
  return {
    type: "message" as const,
    id: `msg_${shortId()}`,
    role: "assistant",
    status: "completed",
    content: [isRefusal ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] }],
  };
}

/** Calls a tool as the client offered it: a free-text tool gets the input's only value, and a tool in a namespace is called there. */
function callItem({ tool, input, raw, namespace: named }: ScriptedCall, offered: readonly OfferedTool[]) {
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
    arguments: raw ?? JSON.stringify(input),
  };
}

type StreamEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** Sends events in the order of the real service, because clients may rely on it. */
function itemEvents(item: Item, output_index: number, turn: TurnExtras): readonly StreamEvent[] {
  const at = { item_id: item.id, output_index };
  const added = { type: "response.output_item.added", output_index };
  const ended = { type: "response.output_item.done", output_index, item };
  switch (item.type) {
    case "function_call":
      return [
        { ...added, item: { ...item, status: "in_progress", arguments: "" } },
        ...piecesOf(item.arguments, turn).map((delta) => ({
          type: "response.function_call_arguments.delta",
          ...at,
          delta,
        })),
        { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
        ended,
      ];
    case "custom_tool_call":
      return [
        { ...added, item: { ...item, status: "in_progress", input: "" } },
        ...piecesOf(item.input, turn).map((delta) => ({ type: "response.custom_tool_call_input.delta", ...at, delta })),
        { type: "response.custom_tool_call_input.done", ...at, input: item.input },
        ended,
      ];
    case "reasoning":
      return [
        { ...added, item: { ...item, summary: [], encrypted_content: "" } },
        ...summaryEvents(item, at, turn),
        ended,
      ];
    case "message":
      return [
        { ...added, item: { ...item, status: "in_progress", content: [] } },
        ...textEvents(item, at, turn),
        ended,
      ];
  }
}

interface Place {
  readonly item_id: string;
  readonly output_index: number;
}

function summaryEvents(item: ReturnType<typeof reasoningItem>, at: Place, turn: TurnExtras): readonly StreamEvent[] {
  const inside = { ...at, summary_index: 0 };
  const text = item.summary[0]?.text ?? "";
  const part = { type: "summary_text", text };
  return [
    { type: "response.reasoning_summary_part.added", ...inside, part: { ...part, text: "" } },
    ...piecesOf(text, turn).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...inside, delta })),
    { type: "response.reasoning_summary_text.done", ...inside, text },
    { type: "response.reasoning_summary_part.done", ...inside, part },
  ];
}

function textEvents(item: ReturnType<typeof messageItem>, at: Place, turn: TurnExtras): readonly StreamEvent[] {
  const [part] = item.content;
  const inside = { ...at, content_index: 0 };
  if (part?.refusal !== undefined)
    return [
      { type: "response.content_part.added", ...inside, part: { ...part, refusal: "" } },
      ...piecesOf(part.refusal, turn).map((delta) => ({ type: "response.refusal.delta", ...inside, delta })),
      { type: "response.refusal.done", ...inside, refusal: part.refusal },
      { type: "response.content_part.done", ...inside, part },
    ];
  return [
    { type: "response.content_part.added", ...inside, part: { ...part, text: "" } },
    ...piecesOf(part?.text ?? "", turn).map((delta) => ({ type: "response.output_text.delta", ...inside, delta })),
    { type: "response.output_text.done", ...inside, text: part?.text },
    { type: "response.content_part.done", ...inside, part },
  ];
}

function shortId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 24);
}
