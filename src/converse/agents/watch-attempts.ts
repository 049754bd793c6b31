import type { Progress } from "../../context.ts";
import { explainFailures } from "../../domain/model/explain-failures.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { SECOND } from "../../lib/clock.ts";
import type { FailedModel, GatewayEvent } from "../../models/gateway/gateway.ts";

/** Nothing came for this long, `silent` times in a row. */
interface Tick {
  readonly kind: "tick";
  readonly silent: number;
}

export const TICK_MS = SECOND;

/** The events, and a tick whenever none came for a while. `stop` ends what they wait for, if the reader goes first. */
export async function* withTicks<T>(events: AsyncIterable<T>, ms: number, stop: () => void): AsyncGenerator<T | Tick> {
  const reader = events[Symbol.asyncIterator]();
  try {
    for (let next = reader.next(), silent = 0; ;) {
      const came = await orTick(next, ms);
      if (came === null) {
        yield { kind: "tick", silent: ++silent };
        continue;
      }
      if (came.done === true) return;
      silent = 0;
      yield came.value;
      next = reader.next();
    }
  } finally {
    stop();
    await reader.return?.();
  }
}

/** Null if it takes longer. */
async function orTick<T>(next: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, ms, null)));
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a person who waits for an answer is shown: each attempt that failed, and what follows. A call that answers at once says nothing. */
export function watchAttempts(): (event: GatewayEvent | Tick) => Progress | null {
  let model = "a model";
  let last = 0;
  let hasText = false;
  let isShown = false;
  return (event) => {
    if (event.kind === "text") hasText = true;
    if (event.kind === "tick")
      return hasText ? null : { text: `waiting for ${model}, ${Math.round((event.silent * TICK_MS) / SECOND)} s` };
    // A model whose turn comes again after others: its failure was shown.
    if (event.kind === "wait" && event.number === last) {
      isShown = true;
      const time = event.ms < SHORTEST_WAIT_MS ? "at once" : `in ${Math.max(1, Math.round(event.ms / SECOND))} s`;
      return { isStep: true, text: `${describeFailed(event.number, event)}; attempt ${event.number + 1} ${time}` };
    }
    if (event.kind !== "attempt") return null;
    const failed = isShown ? event.after.slice(1) : event.after;
    const lines = failed.map((one) => (wasSent(one) ? describeFailed(last, one) : explainFailures([one])));
    [model, last, isShown] = [formatModelRef(event.model), event.number, false];
    return lines.length === 0 ? null : { isStep: true, text: `${lines.join("; ")}; attempt ${last}: ${model}` };
  };
}

/** Nobody notices a shorter one. */
const SHORTEST_WAIT_MS = 500;

function wasSent({ failure, isHeldBack }: FailedModel): boolean {
  return isHeldBack !== true && failure.kind !== "cap";
}

/** `attempt 1, local/big: cannot be reached` */
function describeFailed(number: number, failed: FailedModel): string {
  return `attempt ${number}, ${explainFailures([failed])}`;
}
