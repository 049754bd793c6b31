import type { z } from "zod";
import type { Context, Progress } from "./context.ts";
import { checkInput, type CheckedInput, type Operation, refuseAgent, requireOfAgent } from "./operation.ts";
import { prepare } from "./operations/shared/prepare.ts";
import { confined } from "./operations/shared/visibility.ts";
import type { StreamEvent } from "./stream-event.ts";

export type OutputOf<O extends Operation> = z.output<O["output"]>;

/** The only way to run an operation: validates the input, updates the data it depends on, runs it. */
export async function invoke<O extends Operation>(
  ctx: Context,
  operation: O,
  raw: unknown,
  hint: string,
): Promise<OutputOf<O>> {
  return invokeChecked(ctx, operation, checkInput(operation, raw, hint));
}

/** Like `invoke`, for input that is already validated. */
export async function invokeChecked<O extends Operation>(
  ctx: Context,
  operation: O,
  input: CheckedInput,
): Promise<OutputOf<O>> {
  refuseAgent(ctx.actor, operation, input);
  requireOfAgent(ctx.actor, operation, input);
  const seen = confined(ctx, operation, input);
  await prepare(ctx, operation.prepare);
  return (await operation.run(ctx, seen, () => prepare(ctx, operation.prepareMore))) as OutputOf<O>;
}

/**
 * Like `invoke`, as a stream: progress, items, the result. If the reader stops, the work is stopped, and the
 * generator returns only when it has ended.
 */
export async function* invokeStream<O extends Operation>(
  ctx: Context,
  operation: O,
  raw: unknown,
  hint: string,
): AsyncGenerator<StreamEvent<OutputOf<O>>> {
  yield* invokeStreamChecked(ctx, operation, checkInput(operation, raw, hint));
}

export async function* invokeStreamChecked<O extends Operation>(
  ctx: Context,
  operation: O,
  input: CheckedInput,
): AsyncGenerator<StreamEvent<OutputOf<O>>> {
  const { stream } = operation;
  if (stream === null) {
    const result = yield* withProgress(ctx, (inside) => invokeChecked(inside, operation, input));
    yield { kind: "result", result };
    return;
  }
  refuseAgent(ctx.actor, operation, input);
  requireOfAgent(ctx.actor, operation, input);
  const seen = confined(ctx, operation, input);
  yield* withProgress(ctx, (inside) => prepare(inside, operation.prepare));
  yield* stoppable(ctx, (inside) => {
    const prepareMore = () => prepare(inside, operation.prepareMore);
    return stream(inside, seen, prepareMore) as AsyncIterable<StreamEvent<OutputOf<O>>>;
  });
}

/** Yields progress while the work runs. If the reader is slow, only the newest report is kept, and every step. */
async function* withProgress<T>(
  ctx: Context,
  work: (workContext: Context) => Promise<T>,
): AsyncGenerator<{ readonly kind: "progress" } & Progress, T> {
  const stop = new AbortController();
  const waiting: Progress[] = [];
  let ended = false;
  let wake = () => {};
  const report = (progress: Progress) => {
    if (waiting.at(-1)?.isStep !== true) waiting.pop();
    waiting.push(progress);
    wake();
  };
  const working = work({ ...ctx, report, signal: AbortSignal.any([ctx.signal, stop.signal]) }).finally(() => {
    ended = true;
    wake();
  });
  const settled = Promise.allSettled([working]);
  try {
    // Also yields what was reported just before the end.
    while (!ended || waiting.length > 0) {
      const next = waiting.shift();
      if (next !== undefined) yield { kind: "progress", ...next };
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    return await working;
  } finally {
    stop.abort();
    await settled;
  }
}

async function* stoppable<T>(ctx: Context, makeItems: (inside: Context) => AsyncIterable<T>): AsyncGenerator<T> {
  const stop = new AbortController();
  try {
    yield* makeItems({ ...ctx, signal: AbortSignal.any([ctx.signal, stop.signal]) });
  } finally {
    stop.abort();
  }
}
