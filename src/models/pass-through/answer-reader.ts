import { finished } from "node:stream";
import { tryParseJson } from "../../lib/json.ts";
import { newDecoder } from "./encodings.ts";
import { type AnswerState, noAnswer, readDocument, readStreamEvent } from "./read-answer.ts";
import { SseEvents } from "./sse-events.ts";
import type { WireApi } from "./wire-api.ts";

/** The longest document that is read. For a longer one, usage is estimated. */
const LONGEST_DOCUMENT = 16 * 1024 * 1024;

/** Reads the usage from an answer's bytes as they pass. Never changes them and never fails. */
export interface AnswerReader {
  /** Resolves when the chunk has been read, so that a fast provider cannot fill the memory. */
  add(chunk: Buffer): Promise<void>;
  /** No more bytes come. */
  end(): Promise<void>;
  state(): AnswerState;
}

export function newAnswerReader(
  api: WireApi,
  headers: { readonly type: string | undefined; readonly encoding: string | undefined },
): AnswerReader {
  const inner = headers.type?.includes("text/event-stream") ? newStreamReader(api) : newDocumentReader(api);
  const decoder = newDecoder(headers.encoding?.trim().toLowerCase() ?? "identity");
  if (decoder === null) {
    return {
      add: async (chunk) => inner.add(chunk),
      end: async () => inner.end(),
      state: inner.state,
    };
  }
  decoder.on("data", (chunk: Buffer) => inner.add(chunk));
  // Damaged bytes end the reading. What was read before still counts.
  const isOver = new Promise<void>((resolve) => finished(decoder, () => resolve()));
  return {
    add: (chunk) => {
      if (decoder.destroyed || chunk.length === 0) return Promise.resolve();
      return Promise.race([isOver, new Promise<void>((resolve) => void decoder.write(chunk, () => resolve()))]);
    },
    end: async () => {
      if (!decoder.destroyed) decoder.end();
      await isOver;
      inner.end();
    },
    state: inner.state,
  };
}

interface PlainReader {
  add(chunk: Buffer): void;
  end(): void;
  state(): AnswerState;
}

function newStreamReader(api: WireApi): PlainReader {
  let state = noAnswer;
  const events = new SseEvents((data) => {
    state = readStreamEvent(api, state, data === "[DONE]" ? data : tryParseJson(data));
  });
  return { add: (chunk) => events.add(chunk), end: () => {}, state: () => state };
}

function newDocumentReader(api: WireApi): PlainReader {
  let state = noAnswer;
  let size = 0;
  let parts: Buffer[] = [];
  return {
    add: (chunk) => {
      size += chunk.length;
      if (size > LONGEST_DOCUMENT) parts = [];
      else parts.push(chunk);
      state = { ...state, hasOutput: true, written: size };
    },
    end: () => {
      if (parts.length > 0) state = readDocument(api, tryParseJson(Buffer.concat(parts).toString("utf8")));
      parts = [];
    },
    state: () => state,
  };
}
