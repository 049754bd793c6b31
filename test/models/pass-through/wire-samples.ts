/** Answers as the providers document them: a stream with thinking, a tool call and the prompt cache; a chat; a response. */
export const messagesStream = `event: message_start
data: {"type":"message_start","message":{"id":"msg_01XFDUDYJgAACzvnptvVoYEL","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":180,"cache_read_input_tokens":1800,"cache_creation":{"ephemeral_5m_input_tokens":80,"ephemeral_1h_input_tokens":100},"output_tokens":1,"service_tier":"standard"}}}

event: ping
data: {"type": "ping"}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"The user wants \\"usage\\": {\\"output_tokens\\": 9}."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_01T1x1fJ34qAmk2tNTrN7Up6","name":"get_weather","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"location\\": \\"Zürich"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":", CH\\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}}

event: message_stop
data: {"type":"message_stop"}

`;

export const messagesDocument = {
  id: "msg_013Zva2CMHLNnjNjJJKqJ2EF",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content: [
    { type: "tool_use", id: "toolu_1", name: "count", input: { usage: { input_tokens: 7, output_tokens: 7 } } },
  ],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: {
    input_tokens: 2095,
    output_tokens: 503,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 1000,
    output_tokens_details: { thinking_tokens: 200 },
  },
};

const chunk = (choices: readonly object[], rest: object = {}) =>
  `data: ${JSON.stringify({ id: "chatcmpl-123", object: "chat.completion.chunk", created: 1694268190, model: "gpt-5-mini-2025-08-07", system_fingerprint: "fp_44709d6fcb", choices, ...rest })}\n\n`;

export function chatStream(options: { readonly includeUsage: boolean }): string {
  const usage = {
    prompt_tokens: 1117,
    completion_tokens: 46,
    total_tokens: 1163,
    prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 32, accepted_prediction_tokens: 0 },
  };
  const rest = options.includeUsage ? { usage: null } : {};
  return [
    chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }], rest),
    chunk([{ index: 0, delta: { content: "Hello" }, finish_reason: null }], rest),
    chunk([{ index: 0, delta: { content: ", world" }, finish_reason: null }], rest),
    chunk([{ index: 0, delta: {}, finish_reason: "stop" }], rest),
    ...(options.includeUsage ? [chunk([], { usage })] : []),
    "data: [DONE]\n\n",
  ].join("");
}

const begun = {
  id: "resp_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654",
  object: "response",
  created_at: 1741487325,
  status: "in_progress",
  model: "gpt-5.5-2026-03-05",
  output: [],
  usage: null,
};
const responseUsage = {
  input_tokens: 3170,
  input_tokens_details: { cached_tokens: 2944 },
  output_tokens: 512,
  output_tokens_details: { reasoning_tokens: 448 },
  total_tokens: 3682,
};

export const responsesDocument = { ...begun, status: "completed", usage: responseUsage };

export function responsesStream(last: "response.completed" | "response.incomplete" | "response.failed"): string {
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "Hi" },
    { type: "response.output_text.done", item_id: "msg_1", output_index: 0, content_index: 0, text: "Hi" },
    {
      type: last,
      response: {
        ...begun,
        status: last.slice("response.".length),
        error: last === "response.failed" ? { code: "rate_limit_exceeded", message: "slow down" } : null,
        usage: last === "response.failed" ? null : responseUsage,
      },
    },
  ];
  return events
    .map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`)
    .join("");
}
