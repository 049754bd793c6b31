import { useState } from "preact/hooks";
import { callOperation } from "./call.ts";
import type { Input, OperationRoute, Output, ApiProblem } from "./api-result.ts";
import { refreshAll } from "./live.ts";

export type Actions = {
  readonly busy: boolean;
  readonly problem: ApiProblem | null;
  /** Null where it was refused; `problem` says why. */
  readonly act: <O extends OperationRoute>(operation: O, input: Input<O>) => Promise<Output<O> | null>;
};

/** Changes the mind, one deed at a time, and has the page ask anew. */
export function useActions(): Actions {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const act: Actions["act"] = async (operation, input) => {
    setBusy(true);
    const answer = await callOperation(operation, input);
    setBusy(false);
    setProblem(answer.kind === "failed" ? answer.problem : null);
    if (answer.kind === "failed") return null;
    refreshAll();
    return answer.value;
  };
  return { busy, problem, act };
}
