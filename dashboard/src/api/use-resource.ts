import { type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { callOperation } from "./call.ts";
import type { Input, OperationRoute, Output, ApiProblem } from "./api-result.ts";
import { refreshCount } from "./live.ts";

export type Resource<T> = {
  readonly value: T | null;
  readonly problem: ApiProblem | null;
  /** True if `value` is the result for an earlier input and this input's result is still loading. */
  readonly stale: boolean;
  readonly reload: () => void;
};

/** Calls the operation, refreshes its result while mounted, and returns the last known result in the meantime. */
export function useResource<O extends OperationRoute>(operation: O, input: Input<O>): Resource<Output<O>> {
  const entry = entryFor(operation, input);
  const { value, problem } = entry.state.value;
  const current = refreshCount.value;
  useEffect(() => void refresh(entry), [entry, current]);

  const previous = useRef<Output<O> | null>(null);
  if (value !== null) previous.current = value;
  return {
    value: value ?? previous.current,
    problem,
    stale: value === null && previous.current !== null && problem === null,
    reload: () => void refresh(entry),
  };
}

type State<T> = { readonly value: T | null; readonly problem: ApiProblem | null };

type Entry<O extends OperationRoute> = {
  readonly operation: O;
  readonly input: Input<O>;
  readonly state: Signal<State<Output<O>>>;
  asking: boolean;
  again: boolean;
};

// Cached results let the back button show a page at once, at its old scroll position.
const MAX_ENTRIES = 40;
const entries = new Map<string, Entry<OperationRoute>>();

function entryFor<O extends OperationRoute>(operation: O, input: Input<O>): Entry<O> {
  const key = operation + JSON.stringify(input);
  const known = entries.get(key) as Entry<O> | undefined;
  if (known) return known;
  const state = signal<State<Output<O>>>({ value: null, problem: null });
  const entry: Entry<O> = { operation, input, state, asking: false, again: false };
  entries.set(key, entry as unknown as Entry<OperationRoute>);
  const [oldest] = entries.keys();
  if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
  return entry;
}

async function refresh<O extends OperationRoute>(entry: Entry<O>): Promise<void> {
  // One request at a time: a burst of changes must not pile up requests, nor delay the result forever.
  if (entry.asking) {
    entry.again = true;
    return;
  }
  entry.asking = true;
  const result = await callOperation(entry.operation, entry.input);
  entry.asking = false;
  entry.state.value =
    result.kind === "done"
      ? { value: result.value, problem: null }
      : { value: entry.state.peek().value, problem: result.problem };
  if (!entry.again) return;
  entry.again = false;
  await refresh(entry);
}
