import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { OldhandError } from "../../lib/errors.ts";
import type { StreamEvent } from "../../stream-event.ts";

/** An operation as server-sent events, each named after its kind. If the client disconnects, the work stops. */
export function toEventStream(request: Context, of: (signal: AbortSignal) => AsyncIterable<StreamEvent>): Response {
  const stop = new AbortController();
  return streamSSE(request, async (stream) => {
    stream.onAbort(() => stop.abort());
    try {
      for await (const event of of(stop.signal))
        await stream.writeSSE({ event: event.kind, data: JSON.stringify(event) });
    } catch (error) {
      if (!(error instanceof OldhandError)) process.stderr.write(`oldhand serve: ${formatTrace(error)}\n`);
      await stream.writeSSE({ event: "error", data: JSON.stringify(toErrorBody(error)) });
    }
  });
}

function formatTrace(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The error as the caller sees it. Bugs are reported without details. */
export function toErrorBody(error: unknown): object {
  if (!(error instanceof OldhandError))
    return { error: { code: "bug", message: "internal error; see the server's terminal for details", hint: null } };
  return { error: { code: error.code, message: error.message, hint: error.hint ?? null } };
}
