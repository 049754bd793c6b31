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

/** Use its address as `OLLAMA_HOST`. */
export type FakeOllama = ScriptedServer;

/** Ollama's own API (`/api/chat`, `/api/tags`, `/api/embed`) on loopback, with a script instead of a model. Every chat takes a turn. */
export function fakeOllama(
  script: Script,
  options: ScriptOptions & { readonly models?: readonly string[] } = {},
): Promise<FakeOllama> {
  const { models = ["scripted:latest"], ...rest } = options;
  return scriptedServer(
    script,
    { ...api, aside: (request) => aside(request, models) },
    { everyRequest: true, ...rest },
  );
}

interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
}

const api: Omit<ScriptedApi, "aside"> = {
  readsRequest: (request) =>
    request.path === "/api/chat" ? { offersTools: (bodyOf(request).tools ?? []).length > 0 } : null,
  sideTurn: () => ({ text: "scripted" }),
  speak,
  errorBody: ({ message }) => ({ error: message }),
  errorChunk: (_type, message) => `${JSON.stringify({ error: message })}\n`,
};

function bodyOf({ body }: ModelRequest): Request {
  return (body ?? {}) as Request;
}

function aside({ path, body }: ModelRequest, models: readonly string[]): object | null {
  if (path === "/api/version") return { version: "0.12.0" };
  if (path === "/api/tags")
    return { models: models.map((name) => ({ name, model: name, size: 1_000, details: { family: "scripted" } })) };
  if (path !== "/api/embed") return null;
  const { input = [], model } = (body ?? {}) as {
    readonly input?: string | readonly string[];
    readonly model?: string;
  };
  const texts = typeof input === "string" ? [input] : input;
  return { model, embeddings: texts.map((text) => vectorOf(text)), prompt_eval_count: 5 * texts.length };
}

/** One line per piece, as Ollama writes them. A call comes in one piece, with its input as an object. */
function speak(incoming: ModelRequest, turn: SpokenTurn): SpokenAnswer {
  const request = bodyOf(incoming);
  const tokens = tokensOf(turn);
  const base = { model: request.model ?? "scripted:latest", created_at: "2026-01-01T00:00:00Z" };
  const calls = callsOf(turn).map(({ tool, input }) => ({ function: { name: tool, arguments: input } }));
  const end = {
    done: true,
    done_reason: turn.stop === "length" ? "length" : "stop",
    total_duration: 1,
    prompt_eval_count: tokens.in,
    eval_count: tokens.out,
  };
  if (request.stream === false) {
    const message = {
      role: "assistant",
      content: turn.text ?? "",
      ...(turn.reasoning === undefined ? {} : { thinking: turn.reasoning.text }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return { kind: "json", body: { ...base, message, ...end } };
  }
  const line = (fields: object, rest: object = { done: false }) =>
    `${JSON.stringify({ ...base, message: { role: "assistant", content: "", ...fields }, ...rest })}\n`;
  const chunks = [
    ...piecesOf(turn.reasoning?.text ?? "", turn).map((thinking) => line({ thinking })),
    ...piecesOf(turn.text ?? "", turn).map((content) => line({ content })),
    ...(calls.length === 0 ? [] : [line({ tool_calls: calls })]),
    line({}, end),
  ];
  return { kind: "stream", type: "application/x-ndjson", chunks };
}
