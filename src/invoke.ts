import type { z } from "zod";
import type { Context, Progress } from "./context.ts";
import { checkInput, type CheckedInput, type Operation, refuseAgent, requireOfAgent } from "./operation.ts";
import { prepare } from "./operations/shared/prepare.ts";
import { confined } from "./operations/shared/sight.ts";
import type { StreamEvent } from "./stream-event.ts";

/** What an operation answers. */
export type OutputOf<O extends Operation> = z.output<O["output"]>;

/** The one way to run an operation: the input is checked, what it builds on is brought up to date, then it runs. */
export async function invoke<O extends Operation>(
  ctx: Context,
  operation: O,
  raw: unknown,
  hint: string,
): Promise<OutputOf<O>> {
  return invokeChecked(ctx, operation, checkInput(operation, raw, hint));
}

/** The same for who has checked the input already. */
export async function invokeChecked<O extends Operation>(
  ctx: Context,
  operation: O,
  input: CheckedInput,
): Promise<OutputOf<O>> {
  refuseAgent(ctx.actor, operation, input);
  requireOfAgent(ctx.actor, operation, input);
  const seen = confined(ctx, operation, input);
  await prepare(ctx, operation.prepare);
  return (await operation.run(ctx, seen)) as OutputOf<O>;
}

/**
 * The same as a stream: how far it has come, pieces of the answer, the answer. Whoever stops reading stops the work,
 * and waits until it has ended.
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
  yield* stoppable(ctx, (inside) => stream(inside, seen) as AsyncIterable<StreamEvent<OutputOf<O>>>);
}

/** What the work reports while it goes on; of reports that nobody has read yet, only the newest. */
async function* withProgress<T>(
  ctx: Context,
  work: (workContext: Context) => Promise<T>,
): AsyncGenerator<{ readonly kind: "progress" } & Progress, T> {
  const stop = new AbortController();
  let newest: Progress | null = null;
  let ended = false;
  let wake = () => {};
  const report = (progress: Progress) => {
    newest = progress;
    wake();
  };
  const working = work({ ...ctx, report, signal: AbortSignal.any([ctx.signal, stop.signal]) }).finally(() => {
    ended = true;
    wake();
  });
  const settled = Promise.allSettled([working]);
  try {
    // Also what was reported just before the end.
    while (!ended || newest !== null) {
      const latest: Progress | null = newest;
      newest = null;
      if (latest !== null) yield { kind: "progress", ...(latest as Progress) };
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
