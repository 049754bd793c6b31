import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { AnswerReader } from "./answer-reader.ts";
import { toClientHeaders } from "./headers.ts";
import type { Restore } from "./restore-answer.ts";

export interface Relayed {
  readonly from: IncomingMessage;
  readonly to: ServerResponse;
  readonly reader: AnswerReader | null;
  /** Puts secrets back; null passes every byte on unchanged. */
  readonly restore: Restore | null;
  /** Our own headers, names and values alternating. */
  readonly extra: readonly string[];
  /** Called when everything has been read, before the client gets the last bytes. So its next request finds the call settled. */
  onComplete(): Promise<void>;
}

/** How the transfer ended: complete, the client disconnected, or the provider broke off. */
export type RelayEnd = "complete" | "client-gone" | "cut-off";

/** Passes the answer on byte for byte, as fast as the client reads. If one side breaks off, the other side is closed too. */
export async function relayAnswer({ from, to, reader, restore, extra, onComplete }: Relayed): Promise<RelayEnd> {
  let end: RelayEnd | null = null;
  to.once("close", () => (end ??= "client-gone"));
  from.once("error", () => (end ??= "cut-off"));
  const headers = toClientHeaders(from.rawHeaders, restore !== null);
  to.writeHead(from.statusCode ?? 502, from.statusMessage, [...headers, ...extra]);
  to.flushHeaders();
  const complete = async () => {
    await reader?.end();
    await onComplete();
    end = "complete";
  };
  try {
    const tap = newTap(from, reader, complete);
    await (restore === null ? pipeline(from, tap, to) : pipeline(from, tap, restore, to));
    return "complete";
  } catch (error) {
    if (end === null) throw error;
    return end;
  }
}

/** Waits for the reader with every chunk, so that no side runs ahead. */
function newTap(from: IncomingMessage, reader: AnswerReader | null, complete: () => Promise<void>) {
  const length = Number(from.headers["content-length"] ?? Number.NaN);
  return async function* passChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let received = 0;
    let isComplete = false;
    for await (const chunk of chunks) {
      received += chunk.length;
      await reader?.add(chunk);
      if (!isComplete && (received === length || reader?.state().isEnded === true)) {
        isComplete = true;
        await complete();
      }
      yield chunk;
    }
    if (!isComplete) await complete();
  };
}
