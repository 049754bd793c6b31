import { useState } from "preact/hooks";
import { call } from "./call.ts";
import type { Input, Operation, Output, Problem } from "./answer.ts";
import { refreshAll } from "./live.ts";

export type Deeds = {
  readonly busy: boolean;
  readonly problem: Problem | null;
  /** Null where it was refused; `problem` says why. */
  readonly act: <O extends Operation>(operation: O, input: Input<O>) => Promise<Output<O> | null>;
};

/** Changes the mind, one deed at a time, and has the page ask anew. */
export function useDeeds(): Deeds {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const act: Deeds["act"] = async (operation, input) => {
    setBusy(true);
    const answer = await call(operation, input);
    setBusy(false);
    setProblem(answer.kind === "failed" ? answer.problem : null);
    if (answer.kind === "failed") return null;
    refreshAll();
    return answer.value;
  };
  return { busy, problem, act };
}
