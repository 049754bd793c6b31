import type { ModelFailureKind } from "../../domain/model/failure.ts";
import { noUsage, type TokenUsage } from "../../domain/model/usage.ts";
import { isRecord } from "../../lib/json.ts";
import { readChatUsage, readMessagesUsage, readResponsesUsage } from "./read-usage.ts";
import type { WireApi } from "./wire-api.ts";

/** What is known about an answer so far. */
export interface AnswerState {
  /** As the provider reports it. */
  readonly usage: TokenUsage;
  /** `input`: only the prompt's tokens so far. */
  readonly reported: "nothing" | "input" | "all";
  /** The API's last event, or the whole document, has arrived. */
  readonly isEnded: boolean;
  /** Characters that the model wrote, to estimate tokens if no usage is reported. */
  readonly written: number;
  /** A part of the answer's content has arrived. */
  readonly hasOutput: boolean;
  /** The model that answered, as the provider names it. */
  readonly model: string | null;
  readonly failure: ModelFailureKind | null;
}

export const noAnswer: AnswerState = {
  usage: noUsage,
  reported: "nothing",
  isEnded: false,
  written: 0,
  hasOutput: false,
  model: null,
  failure: null,
};

/** The answer of a request without `stream`: one JSON document. */
export function readDocument(api: WireApi, document: unknown): AnswerState {
  if (!isRecord(document)) return noAnswer;
  const usage = readers[api](document["usage"]);
  return {
    usage: usage ?? noUsage,
    reported: usage === null ? "nothing" : "all",
    isEnded: true,
    written: usage === null ? countWritten(document) : 0,
    hasOutput: true,
    model: textOf(document["model"]),
    failure: isRefusal(document) ? "refused" : null,
  };
}

/** The state after one event of a stream. `[DONE]`, which is not JSON, is passed as text. */
export function readStreamEvent(api: WireApi, state: AnswerState, event: unknown): AnswerState {
  if (event === "[DONE]") return api === "chat" ? { ...state, isEnded: true } : state;
  if (!isRecord(event)) return state;
  if (isRecord(event["error"])) return { ...state, failure: failureOfError(event["error"]) };
  return steps[api](state, event);
}

type Fields = Readonly<Record<string, unknown>>;

const readers = { messages: readMessagesUsage, chat: readChatUsage, responses: readResponsesUsage } as const;

const steps: Readonly<Record<WireApi, (state: AnswerState, event: Fields) => AnswerState>> = {
  messages: readMessagesEvent,
  chat: readChatChunk,
  responses: readResponsesEvent,
};

function readMessagesEvent(state: AnswerState, event: Fields): AnswerState {
  switch (event["type"]) {
    case "message_start": {
      const message = recordOf(event["message"]);
      const usage = readMessagesUsage(message["usage"]);
      const model = textOf(message["model"]) ?? state.model;
      return usage === null ? { ...state, model } : { ...state, model, usage, reported: "input" };
    }
    case "content_block_start":
      return wrote(state, event["content_block"]);
    case "content_block_delta":
      return wrote(state, event["delta"]);
    case "message_delta": {
      const usage = readMessagesUsage(event["usage"]);
      const refused = recordOf(event["delta"])["stop_reason"] === "refusal";
      const failure = refused ? ("refused" as const) : state.failure;
      return usage === null
        ? { ...state, failure }
        : { ...state, failure, usage: takeLarger(state.usage, usage), reported: "all" };
    }
    case "message_stop":
      return { ...state, isEnded: true };
    default:
      return state;
  }
}

function readChatChunk(state: AnswerState, chunk: Fields): AnswerState {
  const choices = Array.isArray(chunk["choices"]) ? (chunk["choices"] as readonly unknown[]) : [];
  const model = textOf(chunk["model"]) ?? state.model;
  const after = choices.reduce((sum: AnswerState, choice) => wrote(sum, recordOf(choice)["delta"]), {
    ...state,
    model,
  });
  const usage = readChatUsage(chunk["usage"]);
  return usage === null ? after : { ...after, usage, reported: "all" };
}

const lastOfResponses = ["response.completed", "response.incomplete", "response.failed"];

function readResponsesEvent(state: AnswerState, event: Fields): AnswerState {
  const type = String(event["type"]);
  const response = recordOf(event["response"]);
  const model = textOf(response["model"]) ?? state.model;
  if (type === "error") return { ...state, model, failure: failureOfError(event) };
  if (type.endsWith(".delta")) return wrote({ ...state, model }, event["delta"]);
  if (!lastOfResponses.includes(type)) return { ...state, model };
  const usage = readResponsesUsage(response["usage"]);
  const failure = type === "response.failed" ? failureOfError(recordOf(response["error"])) : state.failure;
  const ended = { ...state, model, failure, isEnded: true };
  return usage === null ? ended : { ...ended, usage, reported: "all" };
}

function wrote(state: AnswerState, part: unknown): AnswerState {
  const written = countWritten(part);
  return written === 0 ? state : { ...state, written: state.written + written, hasOutput: true };
}

/** The counts only grow, and the last event may omit some, so the larger one is right. */
function takeLarger(a: TokenUsage, b: TokenUsage): TokenUsage {
  const cacheWrite1h = Math.max(a.cacheWrite1h ?? 0, b.cacheWrite1h ?? 0);
  return {
    in: Math.max(a.in, b.in),
    out: Math.max(a.out, b.out),
    cached: Math.max(a.cached, b.cached),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    ...(cacheWrite1h > 0 ? { cacheWrite1h } : {}),
    reasoning: Math.max(a.reasoning, b.reasoning),
  };
}

/** Counts all texts inside a value. Names and ids are included; they are short, and an estimate may be too high. */
function countWritten(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, inner]) => (key === "type" ? sum : sum + countWritten(inner)), 0);
}

function failureOfError(error: Fields): ModelFailureKind {
  const name = `${textOf(error["type"]) ?? ""} ${textOf(error["code"]) ?? ""}`;
  if (/insufficient_quota|billing/.test(name)) return "quota";
  if (/rate_limit/.test(name)) return "rate-limited";
  if (/context_length|too_large/.test(name)) return "too-long";
  if (/authentication|permission/.test(name)) return "auth";
  if (/invalid_request|invalid_prompt/.test(name)) return "bad-request";
  return "overloaded";
}

function isRefusal(document: Fields): boolean {
  return document["stop_reason"] === "refusal";
}

function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
