import type { ModelAttempt, ModelCallRow } from "./call-row.ts";

/**
 * OpenTelemetry's attribute names for generative AI, so that other tools understand a call's row. The older name of the provider,
 * `gen_ai.system`, is not used.
 */
export const genAi = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  /** Both are part of the input tokens. */
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  session: "gen_ai.conversation.id",
  agentName: "gen_ai.agent.name",
  errorType: "error.type",
  tokenUsageMetric: "gen_ai.client.token.usage",
  durationMetric: "gen_ai.client.operation.duration",
} as const;

/** Our own names for attributes that the conventions lack. */
export const ownAttributes = {
  call: "oldhand.call.id",
  way: "oldhand.way",
  taskType: "oldhand.task.type",
  complexity: "oldhand.task.complexity",
  job: "oldhand.job",
  goal: "oldhand.goal",
  outcome: "oldhand.outcome",
  cost: "oldhand.cost.usd",
  listPrice: "oldhand.cost.list_price",
  healed: "oldhand.healed",
  attempt: "oldhand.attempt",
} as const;

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The span attributes of one call. Times are in seconds, as the conventions require. */
export function callAttributes(row: ModelCallRow): SpanAttributes {
  return withoutNulls({
    ...sharedAttributes(row),
    [genAi.requestModel]: row.attempts[0]?.model ?? row.model,
    [genAi.responseModel]: row.outcome === "ok" ? row.model : null,
    [genAi.timeToFirstChunk]: row.firstTokenMs === null ? null : row.firstTokenMs / 1_000,
    [genAi.session]: row.session,
    [genAi.agentName]: row.agent,
    [ownAttributes.call]: row.id,
    [ownAttributes.way]: row.way,
    [ownAttributes.taskType]: row.taskType,
    [ownAttributes.complexity]: row.complexity,
    [ownAttributes.job]: row.job,
    [ownAttributes.goal]: row.goal,
    [ownAttributes.outcome]: row.outcome,
    [ownAttributes.listPrice]: row.listPrice,
    [ownAttributes.healed]: row.healed,
  });
}

/** The span attributes of one attempt. Its span is inside that of its call. */
export function attemptAttributes(call: string, number: number, attempt: ModelAttempt): SpanAttributes {
  return withoutNulls({
    ...sharedAttributes(attempt),
    [genAi.requestModel]: attempt.model,
    [ownAttributes.call]: call,
    [ownAttributes.attempt]: number,
  });
}

type Attributes = Readonly<Record<string, string | number | boolean | null>>;

function sharedAttributes(one: Pick<ModelAttempt, "provider" | "failure" | "usage" | "cost">): Attributes {
  return {
    [genAi.operation]: "chat",
    [genAi.provider]: one.provider,
    [genAi.inputTokens]: one.usage.in,
    [genAi.outputTokens]: one.usage.out,
    [genAi.cacheReadTokens]: one.usage.cached,
    [genAi.cacheWriteTokens]: one.usage.cacheWrite,
    [genAi.reasoningTokens]: one.usage.reasoning,
    [genAi.errorType]: one.failure,
    [ownAttributes.cost]: one.cost,
  };
}

function withoutNulls(attributes: Attributes): SpanAttributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
