import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { OldhandError } from "../../lib/errors.ts";
import type { StreamEvent } from "../../stream-event.ts";

/** An operation as server-sent events, each named after its kind. If the client disconnects, the work stops. */
export function toEventStream(request: Context, of: (signal: AbortSignal) => AsyncIterable<StreamEvent>): Response {
  const stop = new AbortController();
  return sendEvents(request, stop, () => of(stop.signal));
}

/** The same, but the response starts with the first piece, so that an earlier failure gets its own status. */
export async function toEventStreamOnceBegun(
  request: Context,
  of: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
): Promise<Response> {
  const stop = new AbortController();
  request.req.raw.signal.addEventListener("abort", () => stop.abort());
  const events = of(stop.signal)[Symbol.asyncIterator]();
  let first = await events.next();
  while (first.done !== true && first.value.kind === "progress") first = await events.next();
  return sendEvents(request, stop, () => resume(first, events));
}

async function* resume(
  first: IteratorResult<StreamEvent>,
  events: AsyncIterator<StreamEvent>,
): AsyncGenerator<StreamEvent> {
  try {
    for (let next = first; next.done !== true; next = await events.next()) yield next.value;
  } finally {
    await events.return?.();
  }
}

function sendEvents(request: Context, stop: AbortController, events: () => AsyncIterable<StreamEvent>): Response {
  return streamSSE(request, async (stream) => {
    stream.onAbort(() => stop.abort());
    try {
      for await (const event of events()) await stream.writeSSE({ event: event.kind, data: JSON.stringify(event) });
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
  const { code, message, hint, call } = error;
  return { error: { code, message, hint: hint === undefined ? null : asMembers(hint), ...(call && { call }) } };
}

/** What is an option on a command line is a member of the body here. */
function asMembers(hint: string): string {
  return hint.replaceAll("--fallback", '"fallback": true');
}
