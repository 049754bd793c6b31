import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { callOperation } from "./call.ts";
import type { ApiResult, Input, OperationRoute, Output } from "./api-result.ts";
import type { Resource } from "./use-resource.ts";

/**
 * Runs the operation once per input, and again only on `reload`: for operations that replay all recorded calls, and for
 * those that leave a trace themselves. With a null input nothing is called.
 */
export function useQueryOnce<O extends OperationRoute>(operation: O, input: Input<O> | null): Resource<Output<O>> {
  const result = useSignal<ApiResult<Output<O>> | null>(null);
  const turn = useRef(0);
  const key = input === null ? null : JSON.stringify(input);
  const ask = async () => {
    const mine = ++turn.current;
    const came = input === null ? null : await callOperation(operation, input);
    // Drop a response that a newer request has superseded.
    if (mine === turn.current) result.value = came;
  };
  useEffect(() => {
    result.value = null;
    void ask();
  }, [operation, key]);
  const { value } = result;
  return {
    value: value?.kind === "done" ? value.value : null,
    problem: value?.kind === "failed" ? value.problem : null,
    stale: false,
    reload: () => void ask(),
  };
}
