import type { ServerResponse } from "node:http";
import type { ScriptedError, ScriptedFault, SpokenTurn } from "./scripted-server.ts";

/** An answer in the format of an API. */
export type SpokenAnswer =
  | { readonly kind: "json"; readonly body: object }
  | {
      readonly kind: "stream";
      readonly type: "text/event-stream" | "application/x-ndjson" | "application/json";
      readonly chunks: readonly string[];
    };

/** Sends the answer of a turn, with the turn's pauses and its fault. `errorChunk` formats an error in the middle of a stream. */
export async function sendAnswer(
  response: ServerResponse,
  turn: SpokenTurn,
  answer: SpokenAnswer,
  errorChunk: (type: string, message: string) => string,
): Promise<void> {
  const { fault, delayMs = 0, pauseMs = 0 } = turn;
  await pause(response, delayMs);
  if (fault?.kind === "wrong-type") {
    response.writeHead(200, { "content-type": fault.type ?? "text/html; charset=utf-8" });
    response.end("<!doctype html><title>Sign in</title>");
    return;
  }
  const isStream = answer.kind === "stream";
  const chunks = isStream ? answer.chunks : [JSON.stringify(answer.body)];
  const type = isStream ? answer.type : "application/json";
  response.writeHead(200, { "content-type": type, ...(isStream ? { "cache-control": "no-cache" } : {}) });
  response.flushHeaders();
  if (fault?.kind === "trickle") return trickle(response, chunks.join(""), fault.everyMs);
  const whole = fault === undefined ? chunks : chunks.slice(0, fault.after);
  for (const [at, chunk] of whole.entries()) {
    if (at > 0) await pause(response, pauseMs);
    if (response.destroyed) return;
    await written(response, chunk);
  }
  if (fault === undefined) response.end();
  else await fail(response, fault, chunks[fault.after] ?? "", errorChunk);
}

/** Sends an error instead of an answer. */
export async function sendError(
  response: ServerResponse,
  { status, retryAfter }: ScriptedError,
  body: object,
  delayMs = 0,
): Promise<void> {
  await pause(response, delayMs);
  response.writeHead(status, {
    "content-type": "application/json",
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
  });
  response.end(JSON.stringify(body));
}

async function fail(
  response: ServerResponse,
  fault: Exclude<ScriptedFault, { kind: "trickle" | "wrong-type" }>,
  next: string,
  errorChunk: (type: string, message: string) => string,
): Promise<void> {
  switch (fault.kind) {
    case "silence":
      return;
    case "reset":
      // Lets the written bytes leave first, so that the client sees the beginning of the answer.
      await new Promise((resolve) => setImmediate(resolve));
      response.socket?.resetAndDestroy();
      return;
    case "half-closed":
      response.end();
      return;
    case "truncated":
      response.end(halve(next));
      return;
    case "error-event":
      response.write(errorChunk(fault.type, fault.message));
      response.end();
  }
}

/** The event is complete, but its JSON is not. */
function halve(chunk: string): string {
  const from = chunk.indexOf("{");
  const to = chunk.lastIndexOf("}") + 1;
  return `${chunk.slice(0, from)}${chunk.slice(from, from + Math.ceil((to - from) / 2))}${chunk.slice(to)}`;
}

async function trickle(response: ServerResponse, text: string, everyMs: number): Promise<void> {
  for (const character of text) {
    if (response.destroyed) return;
    response.write(character);
    await pause(response, everyMs);
  }
  response.end();
}

function written(response: ServerResponse, chunk: string): Promise<void> {
  return new Promise((resolve) => {
    response.write(chunk, () => resolve());
  });
}

/** Ends early if the client disconnects. */
function pause(response: ServerResponse, ms: number): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off("close", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    response.on("close", done);
  });
}
