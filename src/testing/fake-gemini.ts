import type { ServerResponse } from "node:http";
import {
  type ScriptedRequest,
  sendJson,
  type ScriptedServer,
  scriptedServer,
  type ScriptedTurn,
  type SpokenTurn,
} from "./scripted-server.ts";

/** Use its address as `GOOGLE_GEMINI_BASE_URL`. */
export type FakeGemini = ScriptedServer;

/**
 * Gemini's generateContent and streamGenerateContent on loopback, with a script as the model: each request with tools
 * takes the next turn. Requests without tools (such as for choosing a model) get a fixed reply and take no turn.
 */
export function fakeGemini(turns: readonly ScriptedTurn[]): Promise<FakeGemini> {
  return scriptedServer(turns, respond);
}

interface Request {
  readonly tools?: readonly { readonly functionDeclarations?: readonly unknown[] }[];
  readonly generationConfig?: { readonly responseMimeType?: string };
}

function respond(response: ServerResponse, incoming: ScriptedRequest): void {
  const method = /:(\w+)$/.exec(incoming.path)?.[1];
  if (method === "countTokens") return sendJson(response, 200, { totalTokens: 100 });
  if (method !== "generateContent" && method !== "streamGenerateContent")
    return failure(response, 404, "NOT_FOUND", incoming.path);
  const request = (incoming.body ?? {}) as Request;
  const offered = (request.tools ?? []).some((one) => (one.functionDeclarations ?? []).length > 0);
  const turn = offered ? incoming.next() : aside(request);
  if ("error" in turn) return failure(response, turn.error.status, turn.error.type, turn.error.message);
  const content = { role: "model", parts: partsOf(turn) };
  const reply = {
    candidates: [{ content, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    modelVersion: "scripted",
  };
  if (method === "generateContent") return sendJson(response, 200, reply);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.end(`data: ${JSON.stringify(reply)}\n\n`);
}

/** A client that requests JSON wants to choose a model or the next speaker. */
function aside({ generationConfig }: Request): ScriptedTurn {
  const choice = { reasoning: "scripted", model_choice: "flash", next_speaker: "user" };
  return { text: generationConfig?.responseMimeType === "application/json" ? JSON.stringify(choice) : "scripted" };
}

function partsOf(turn: SpokenTurn): readonly object[] {
  const text = turn.text === undefined ? [] : [{ text: turn.text }];
  const calls = "calls" in turn ? turn.calls : [];
  return [...text, ...calls.map(({ tool, input }) => ({ functionCall: { name: tool, args: input } }))];
}

function failure(response: ServerResponse, status: number, type: string, message: string): void {
  sendJson(response, status, { error: { code: status, status: type, message } });
}
