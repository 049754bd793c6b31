import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call } from "./call.ts";
import type { Answer, Input, Operation, Output } from "./answer.ts";
import type { Resource } from "./use-resource.ts";

/**
 * Asks once for each question, and again only when told to: for answers that cost a replay of all that is recorded, and
 * for questions that leave a trace themselves. Null is no question.
 */
export function useAnswer<O extends Operation>(operation: O, input: Input<O> | null): Resource<Output<O>> {
  const answer = useSignal<Answer<Output<O>> | null>(null);
  const turn = useRef(0);
  const key = input === null ? null : JSON.stringify(input);
  const ask = async () => {
    const mine = ++turn.current;
    const came = input === null ? null : await call(operation, input);
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
