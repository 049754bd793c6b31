import { randomUUID } from "node:crypto";
import type { OpenAiRequest } from "./openai-responses.ts";
import { callsOf, piecesOf, tokensOf } from "./scripted-turn.ts";
import type { SpokenTurn } from "./scripted-server.ts";
import type { SpokenAnswer } from "./send-answer.ts";

/** Chat Completions. Reasoning is in `reasoning_content`, as vLLM, DeepSeek and others send it. */
export function speakChat(request: OpenAiRequest, turn: SpokenTurn): SpokenAnswer {
  const calls = callsOf(turn).map(({ tool, input, raw }) => ({
    id: `call_${shortId()}`,
    type: "function",
    function: { name: tool, arguments: raw ?? JSON.stringify(input) },
  }));
  const finish_reason = stopReason(turn);
  const base = { id: `chatcmpl-${shortId()}`, created: 0, model: request.model ?? "scripted" };
  const usage = usageOf(turn);
  const isRefusal = turn.stop === "refusal";
  if (request.stream !== true) {
    const said = isRefusal ? { content: null, refusal: turn.text } : { content: turn.text ?? null };
    const message = {
      role: "assistant",
      ...said,
      ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning.text }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    const body = { ...base, object: "chat.completion", choices: [{ index: 0, finish_reason, message }], usage };
    return { kind: "json", body };
  }
  const chunk = (choices: readonly object[], rest: object = {}) =>
    `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...rest })}\n\n`;
  const delta = (fields: object, reason: string | null = null) =>
    chunk([{ index: 0, delta: fields, finish_reason: reason }]);
  const chunks = [
    delta({ role: "assistant", content: "" }),
    ...piecesOf(turn.reasoning?.text ?? "", turn).map((reasoning_content) => delta({ reasoning_content })),
    ...piecesOf(turn.text ?? "", turn).map((text) => delta(isRefusal ? { refusal: text } : { content: text })),
    ...calls.flatMap((call, index) => callDeltas(call, index, turn).map((one) => delta({ tool_calls: [one] }))),
    delta({}, finish_reason),
    // Like the real service, reports usage only to a client that asks for it.
    ...(request.stream_options?.include_usage === true ? [chunk([], { usage })] : []),
    "data: [DONE]\n\n",
  ];
  return { kind: "stream", type: "text/event-stream", chunks };
}

/** The first piece has the name, the others have the rest of the input. */
function callDeltas(
  call: {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  },
  index: number,
  turn: SpokenTurn,
): readonly object[] {
  const [first = "", ...more] = piecesOf(call.function.arguments, turn);
  return [
    { index, ...call, function: { name: call.function.name, arguments: first } },
    ...more.map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function stopReason(turn: SpokenTurn): string {
  if (turn.stop !== undefined) return turn.stop === "length" ? "length" : "content_filter";
  return callsOf(turn).length > 0 ? "tool_calls" : "stop";
}

function usageOf(turn: SpokenTurn): object {
  const tokens = tokensOf(turn);
  return {
    prompt_tokens: tokens.in,
    completion_tokens: tokens.out,
    total_tokens: tokens.in + tokens.out,
    prompt_tokens_details: { cached_tokens: tokens.cached },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  };
}

function shortId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 24);
}
