import { speakChat } from "./openai-chat.ts";
import { type OfferedTool, type OpenAiRequest, speakResponses } from "./openai-responses.ts";
import { vectorOf } from "./fake-embedder.ts";
import {
  type ModelRequest,
  type Script,
  type ScriptedApi,
  type ScriptedServer,
  scriptedServer,
  type ScriptOptions,
} from "./scripted-server.ts";

/** Use its address as `OPENAI_BASE_URL`; it ends with `/v1`. */
export type FakeOpenAi = ScriptedServer;

/**
 * The Responses and the Chat Completions API on loopback, with a script instead of a model. Each request that offers tools
 * takes the next turn. Requests without tools, such as one for a title, get a fixed answer and take no turn, unless
 * `everyRequest` is set. Embeddings are made from the words of the texts.
 */
export async function fakeOpenAi(script: Script, options?: ScriptOptions): Promise<FakeOpenAi> {
  const server = await scriptedServer(script, api, options);
  return { ...server, url: `${server.url}/v1` };
}

const api: ScriptedApi = {
  aside: ({ path, body }) => {
    if (path.endsWith("/models")) return { object: "list", data: [{ id: "scripted", object: "model" }], models: [] };
    return path.endsWith("/embeddings") ? embeddingsOf(body) : null;
  },
  readsRequest: (request) =>
    isResponses(request) || request.path.endsWith("/chat/completions")
      ? { offersTools: toolsOf(request).length > 0 }
      : null,
  sideTurn: () => ({ text: "scripted" }),
  speak: (request, turn) => (isResponses(request) ? speakResponses : speakChat)(bodyOf(request), turn),
  errorBody: ({ type, message }) => ({ error: { type, code: type, message, param: null } }),
  // Chat Completions take the first form, Responses the second.
  errorChunk: (type, message) =>
    `data: ${JSON.stringify({ type: "error", code: type, message, param: null, sequence_number: 0, error: { type, code: type, message } })}\n\n`,
};

function isResponses({ path }: ModelRequest): boolean {
  return path.endsWith("/responses");
}

function toolsOf(request: ModelRequest): readonly OfferedTool[] {
  return bodyOf(request).tools ?? [];
}

function bodyOf({ body }: ModelRequest): OpenAiRequest {
  return (body ?? {}) as OpenAiRequest;
}

function embeddingsOf(body: unknown): object {
  const { input = [], model } = (body ?? {}) as {
    readonly input?: string | readonly string[];
    readonly model?: string;
  };
  const texts = typeof input === "string" ? [input] : input;
  const data = texts.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
  return { object: "list", model, data, usage: { prompt_tokens: 5 * texts.length, total_tokens: 5 * texts.length } };
}
