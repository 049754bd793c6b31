import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApiProblem } from "../../api/api-result.ts";
import { type DeclaredAction, needsConfirmation } from "../../actions/action.ts";
import { readForm } from "../../actions/form-values.ts";
import { finishAction, isBusy, pendingAction, type PendingAction } from "../../actions/run-action.ts";
import { Chevron } from "../chevron.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";
import { WithCommands } from "../with-commands.tsx";
import { ActionField } from "./action-field.tsx";
import { Rehearsal } from "./rehearsal.tsx";

/** Asks for an action's inputs or for confirmation. The page has one instance. */
export function ActionDialog() {
  const pending = pendingAction.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (pending !== null) dialog.current?.showModal();
    else dialog.current?.close();
  }, [pending]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="action-title"
      class="m-auto max-h-[85dvh] w-[min(36rem,calc(100vw-1.5rem))] overflow-y-auto rounded-lg border border-edge bg-raised p-0 text-ink shadow-2xl backdrop:bg-black/40"
      onClose={() => (pendingAction.value = null)}
    >
      {pending !== null && <Asking key={`${pending.action.route} ${pending.subject.id}`} pending={pending} />}
    </dialog>
  );
}

/** Leaves out the sentences about command line flags. */
function describeAction({ rehearses, summary }: DeclaredAction): string {
  const sentences = summary.split(/(?<=\.) /);
  return rehearses ? sentences.filter((one) => !one.includes("--write")).join(" ") : summary;
}

/** The button that runs the action: "Edit" opens the form, "Save" ends it. */
function nameSubmit({ label }: DeclaredAction): string {
  return label === "Edit" ? "Save" : label;
}

function Asking({ pending }: { readonly pending: PendingAction }) {
  const { action, subject } = pending;
  const [problem, setProblem] = useState<ApiProblem | null>(pending.problem ?? null);
  const [isIdle, setIsIdle] = useState(false);
  const fixed = Object.keys(subject.given ?? {});
  const inputs = action.inputs.filter(({ name }) => !fixed.includes(name));
  const [main, others] = [inputs.filter((one) => one.main), inputs.filter((one) => !one.main)];
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy.value) return;
    setProblem(await finishAction(pending, readForm(inputs, subject, new FormData(event.target as HTMLFormElement))));
  };
  return (
    <form
      class="flex flex-col gap-4 px-5 pt-5"
      onSubmit={submit}
      onKeyDown={(event) => {
        // Escape must not discard what was typed.
        const given = readForm(inputs, subject, new FormData(event.currentTarget));
        if (event.key === "Escape" && Object.keys(given).length > 0) event.preventDefault();
      }}
    >
      <div>
        <h2 id="action-title" class="text-lg">
          {action.label}
        </h2>
        <p class="text-sm text-soft">
          <WithCommands text={describeAction(action)} />
        </p>
        {subject.title !== "" && (
          <p class="mt-2 line-clamp-3 border-l-2 border-edge pl-3 text-sm break-words">
            <WithCommands text={subject.title} />
          </p>
        )}
      </div>
      {action.rehearses && <Rehearsal action={action} subject={subject} onIdle={setIsIdle} />}
      {main.map((input, index) => (
        <ActionField key={input.name} input={input} subject={subject} isFirst={index === 0} />
      ))}
      {others.length > 0 && (
        <details class="group">
          <summary class="flex items-center gap-2 text-sm text-soft hover:text-ink">
            <Chevron /> More inputs
          </summary>
          <div class="mt-3 flex flex-col gap-4">
            {others.map((input) => (
              <ActionField key={input.name} input={input} subject={subject} isFirst={false} />
            ))}
          </div>
        </details>
      )}
      {problem && <ProblemNotice problem={problem} />}
      {needsConfirmation(action) && !isIdle && (
        <p class="text-sm text-warn">
          {action.effect === "destroys" ? "This cannot be undone." : "This cannot be undone in one step."}
        </p>
      )}
      <div class="sticky bottom-0 -mx-5 flex justify-end gap-2 border-t border-line bg-raised px-5 py-3">
        <button type="button" class="press" onClick={() => (pendingAction.value = null)}>
          Cancel
        </button>
        <button
          type="submit"
          class={`press font-medium ${action.effect === "write" ? "border-link text-link" : "border-fail text-fail"}`}
          autofocus={main.length === 0}
          disabled={isBusy.value}
        >
          {nameSubmit(action)}
        </button>
      </div>
    </form>
  );
}
