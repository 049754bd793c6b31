import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { callOperation } from "../../api/call.ts";
import type { ApiProblem } from "../../api/api-result.ts";
import { ProblemNotice } from "../frame/problem-notice.tsx";

type Props = { readonly id: number; readonly summary: string; readonly onUndone: () => void };

type Stage =
  | { readonly kind: "idle" }
  | { readonly kind: "asking" }
  | { readonly kind: "working" }
  | { readonly kind: "failed"; readonly problem: ApiProblem };

/** Undoing asks once more, in place, with the safe answer one key away. */
export function UndoButton({ id, summary, onUndone }: Props) {
  const [stage, setStage] = useState<Stage>({ kind: "idle" });
  const confirm = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (stage.kind === "asking") confirm.current?.focus();
  }, [stage.kind]);
  const undo = async () => {
    setStage({ kind: "working" });
    const answer = await callOperation("undo", { id });
    if (answer.kind === "failed") return setStage({ kind: "failed", problem: answer.problem });
    setStage({ kind: "idle" });
    onUndone();
  };
  if (stage.kind === "failed") {
    return (
      <div class="basis-full">
        <ProblemNotice problem={stage.problem} retry={undo} />
      </div>
    );
  }
  if (stage.kind === "idle") {
    return (
      <button type="button" class="press" aria-label={`Undo: ${summary}`} onClick={() => setStage({ kind: "asking" })}>
        Undo
      </button>
    );
  }
  const busy = stage.kind === "working";
  return (
    <div
      role="group"
      aria-label="Confirm undo"
      class="flex items-center gap-2"
      onKeyDown={(event) => event.key === "Escape" && setStage({ kind: "idle" })}
    >
      <span class="text-sm text-soft">Undo this change?</span>
      <button ref={confirm} type="button" class="press border-fail text-fail" disabled={busy} onClick={undo}>
        {busy ? "Undoing…" : "Undo it"}
      </button>
      <button type="button" class="press" disabled={busy} onClick={() => setStage({ kind: "idle" })}>
        Keep
      </button>
    </div>
  );
}
