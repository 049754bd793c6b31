import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { callOperation } from "./call.ts";
import type { ApiResult, Input, OperationRoute, Output } from "./api-result.ts";
import type { Resource } from "./use-resource.ts";

/**
 * Asks once for each question, and again only when told to: for answers that cost a replay of all that is recorded, and
 * for questions that leave a trace themselves. Null is no question.
 */
export function useQueryOnce<O extends OperationRoute>(operation: O, input: Input<O> | null): Resource<Output<O>> {
  const answer = useSignal<ApiResult<Output<O>> | null>(null);
  const turn = useRef(0);
  const key = input === null ? null : JSON.stringify(input);
  const ask = async () => {
    const mine = ++turn.current;
    const came = input === null ? null : await callOperation(operation, input);
    // An answer that was overtaken by a newer question belongs to nobody.
    if (mine === turn.current) answer.value = came;
  };
  useEffect(() => {
    answer.value = null;
    void ask();
  }, [operation, key]);
  const { value } = answer;
  return {
    value: value?.kind === "done" ? value.value : null,
    problem: value?.kind === "failed" ? value.problem : null,
    stale: false,
    reload: () => void ask(),
  };
}
