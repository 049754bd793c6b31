import type { IncomingMessage, ServerResponse } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AnswerReader } from "./answer-reader.ts";
import { toClientHeaders } from "./headers.ts";

export interface Relayed {
  readonly from: IncomingMessage;
  readonly to: ServerResponse;
  readonly reader: AnswerReader | null;
  /** Headers of ours, name and value in turn. */
  readonly extra: readonly string[];
  /** Everything was read. The client gets the last bytes only after this: its next request then finds the call settled. */
  onComplete(): Promise<void>;
}

/** How the bytes came to their end: all of them passed, the client went away, or the provider broke off. */
export type RelayEnd = "complete" | "client-gone" | "cut-off";

/** Hands the answer on byte for byte, as fast as the client reads. What breaks on one side is broken off on the other. */
export async function relayAnswer({ from, to, reader, extra, onComplete }: Relayed): Promise<RelayEnd> {
  let end: RelayEnd | null = null;
  to.once("close", () => (end ??= "client-gone"));
  from.once("error", () => (end ??= "cut-off"));
  to.writeHead(from.statusCode ?? 502, from.statusMessage, [...toClientHeaders(from.rawHeaders), ...extra]);
  to.flushHeaders();
  const complete = async () => {
    await reader?.end();
    await onComplete();
    end = "complete";
  };
  try {
    await pipeline(from, newTap(from, reader, complete), to);
    return "complete";
  } catch (error) {
    if (end === null) throw error;
    return end;
  }
}

/** Waits for the reader with every chunk, so that neither side runs ahead of the other. */
function newTap(from: IncomingMessage, reader: AnswerReader | null, complete: () => Promise<void>): Transform {
  const length = Number(from.headers["content-length"] ?? Number.NaN);
  let received = 0;
  let completing: Promise<void> | null = null;
  const pass = async (chunk: Buffer) => {
    received += chunk.length;
    await reader?.add(chunk);
    if (received === length || reader?.state().isEnded === true) await (completing ??= complete());
  };
  return new Transform({
    transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
      pass(chunk).then(
        () => done(null, chunk),
        (error: Error) => done(error),
      );
    },
    flush: (done: TransformCallback) => {
      (completing ??= complete()).then(
        () => done(),
        (error: Error) => done(error),
      );
    },
  });
}
