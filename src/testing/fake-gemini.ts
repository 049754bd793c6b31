import { vectorOf } from "./fake-embedder.ts";
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

/** Use its address as `GOOGLE_GEMINI_BASE_URL`. */
export type FakeGemini = ScriptedServer;

/**
 * Gemini's generateContent, whole and as a stream, on loopback, with a script instead of a model. Each request that offers
 * tools takes the next turn. Requests without tools, such as one that chooses a model, get a fixed answer and take no turn,
 * unless `everyRequest` is set.
 */
export function fakeGemini(script: Script, options?: ScriptOptions): Promise<FakeGemini> {
  return scriptedServer(script, api, options);
}

interface Request {
  readonly tools?: readonly { readonly functionDeclarations?: readonly unknown[] }[];
  readonly generationConfig?: { readonly responseMimeType?: string };
}

const api: ScriptedApi = {
  aside: (request) => {
    const method = methodOf(request);
    if (method === "countTokens") return { totalTokens: 100 };
    if (request.path.endsWith("/models")) return { models: [{ name: "models/scripted", displayName: "Scripted" }] };
    if (method === "embedContent") return { embedding: { values: vectorOf(textIn(request.body)) } };
    if (method !== "batchEmbedContents") return null;
    const { requests = [] } = (request.body ?? {}) as { readonly requests?: readonly unknown[] };
    return { embeddings: requests.map((one) => ({ values: vectorOf(textIn(one)) })) };
  },
  readsRequest: (request) => {
    const method = methodOf(request);
    if (method !== "generateContent" && method !== "streamGenerateContent") return null;
    return { offersTools: (bodyOf(request).tools ?? []).some((one) => (one.functionDeclarations ?? []).length > 0) };
  },
  sideTurn: (request) => ({ text: sideText(bodyOf(request)) }),
  speak,
  errorBody: ({ status, type, message }) => ({ error: { code: status, status: type, message } }),
  errorChunk: (type, message) =>
    `data: ${JSON.stringify({ error: { code: codes[type] ?? 500, status: type, message } })}\n\n`,
};

const codes: Readonly<Record<string, number>> = { RESOURCE_EXHAUSTED: 429, UNAVAILABLE: 503, INVALID_ARGUMENT: 400 };

function methodOf({ path }: ModelRequest): string | undefined {
  return /:(\w+)$/.exec(path)?.[1];
}

function bodyOf({ body }: ModelRequest): Request {
  return (body ?? {}) as Request;
}

/** A client that asks for JSON wants to choose a model, or to know who speaks next. */
function sideText({ generationConfig }: Request): string {
  const choice = { reasoning: "scripted", model_choice: "flash", next_speaker: "user" };
  return generationConfig?.responseMimeType === "application/json" ? JSON.stringify(choice) : "scripted";
}

function speak(request: ModelRequest, turn: SpokenTurn): SpokenAnswer {
  const tokens = tokensOf(turn);
  const usageMetadata = {
    promptTokenCount: tokens.in,
    candidatesTokenCount: tokens.out - tokens.reasoning,
    totalTokenCount: tokens.in + tokens.out,
    ...(tokens.reasoning > 0 ? { thoughtsTokenCount: tokens.reasoning } : {}),
    ...(tokens.cached > 0 ? { cachedContentTokenCount: tokens.cached } : {}),
  };
  const finishReason = turn.stop === undefined ? "STOP" : turn.stop === "length" ? "MAX_TOKENS" : "SAFETY";
  const reply = (parts: readonly object[], end: object = {}) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...end }],
    usageMetadata,
    modelVersion: modelOf(request),
  });
  if (methodOf(request) === "generateContent")
    return { kind: "json", body: reply(partsOf({ ...turn, pieces: 1 }), { finishReason }) };
  const parts = partsOf(turn);
  const replies = [...parts.slice(0, -1).map((part) => reply([part])), reply(parts.slice(-1), { finishReason })].map(
    (one) => JSON.stringify(one),
  );
  // Without `alt=sse` the real service streams one JSON list.
  return new URLSearchParams(request.query).get("alt") === "sse"
    ? { kind: "stream", type: "text/event-stream", chunks: replies.map((one) => `data: ${one}\r\n\r\n`) }
    : {
        kind: "stream",
        type: "application/json",
        chunks: replies.map((one, at) => `${at === 0 ? "[" : ",\r\n"}${one}${at === replies.length - 1 ? "]" : ""}`),
      };
}

function modelOf({ path }: ModelRequest): string {
  return /\/models\/([^/:]+):/.exec(path)?.[1] ?? "scripted";
}

/** The signature of the thought is on the first call, or on the last text. */
function partsOf(turn: SpokenTurn): readonly object[] {
  const calls = callsOf(turn);
  const { reasoning } = turn;
  const signature = reasoning === undefined ? {} : { thoughtSignature: reasoning.signature ?? "c2NyaXB0ZWQ=" };
  const texts = piecesOf(turn.text ?? "", turn);
  return [
    ...piecesOf(reasoning?.text ?? "", turn).map((text) => ({ text, thought: true })),
    ...texts.map((text, at) => ({ text, ...(calls.length === 0 && at === texts.length - 1 ? signature : {}) })),
    ...calls.map(({ tool, input }, at) => ({
      functionCall: { name: tool, args: input },
      ...(at === 0 ? signature : {}),
    })),
  ];
}

function textIn(request: unknown): string {
  const { content } = (request ?? {}) as {
    readonly content?: { readonly parts?: readonly { readonly text?: string }[] };
  };
  return (content?.parts ?? []).map(({ text = "" }) => text).join(" ");
}
