import { useRef, useState } from "preact/hooks";
import { useActions } from "../../api/use-actions.ts";
import { Chevron } from "../chevron.tsx";
import { type CompletedAction, DoneNotice } from "../history/done-notice.tsx";
import { Field } from "../field.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";

const severities = ["low", "medium", "high", "critical"] as const;

/** A mistake or a win by hand. What the server refuses stays in the form, with the reason. */
export function LedgerForm({ patterns }: { readonly patterns: readonly string[] }) {
  const form = useRef<HTMLFormElement>(null);
  const actions = useActions();
  const [kind, setKind] = useState<"mistake" | "win">("mistake");
  const [done, setDone] = useState<CompletedAction | null>(null);
  const save = async () => {
    if (form.current === null) return;
    const given = new FormData(form.current);
    const text = (name: string) => String(given.get(name) ?? "").trim();
    // The page is of no folder.
    const entry = { what: text("what"), why: text("why"), pattern: text("pattern"), everywhere: true };
    const made =
      kind === "win"
        ? await actions.act("win", entry)
        : await actions.act("mistake", {
            ...entry,
            shouldHave: text("shouldHave"),
            signal: text("signal"),
            severity: severities.find((one) => one === text("severity")),
          });
    if (made === null) return setDone(null);
    form.current.reset();
    const near = made.near.length > 0 ? ` A new pattern; near it: ${made.near.join(", ")}.` : "";
    setDone({ text: `Written under ${made.entry.pattern}.${near}`, change: made.change });
  };
  return (
    <details class="group mb-6 border-y border-line">
      <summary class="flex items-center gap-2 py-2 text-soft hover:text-ink">
        <Chevron /> Write an entry
      </summary>
      <form
        ref={form}
        class="grid max-w-[60rem] gap-3 pb-3 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <fieldset class="flex gap-4 sm:col-span-2">
          <legend class="sr-only">Kind</legend>
          {(["mistake", "win"] as const).map((one) => (
            <label key={one} class="flex items-center gap-1.5">
              <input
                type="radio"
                name="kind"
                class="accent-link"
                checked={kind === one}
                onChange={() => setKind(one)}
              />
              {one === "win" ? "Win" : "Mistake"}
            </label>
          ))}
        </fieldset>
        <Field name="what" label="What happened" />
        <Field name="pattern" label="Pattern" hint="the name it is counted under" list={patterns} />
        <Field name="why" label={kind === "win" ? "Why it worked" : "Why it happened"} />
        {kind === "mistake" && (
          <>
            <Field name="shouldHave" label="What would have been right" />
            <Field name="signal" label="Signal" hint="what could be seen at the time, word for word" />
            <label class="flex flex-col gap-1 text-sm text-soft">
              Severity
              <select name="severity" class="field">
                {severities.map((one) => (
                  <option key={one} value={one} selected={one === "medium"}>
                    {one}
                  </option>
                ))}
              </select>
            </label>
          </>
        )}
        <div class="sm:col-span-2">
          <button type="submit" class="press" disabled={actions.busy}>
            Write the {kind}
          </button>
          {actions.problem && <ProblemNotice problem={actions.problem} />}
          <DoneNotice done={done} actions={actions} onUndone={() => setDone({ text: "Taken back.", change: null })} />
        </div>
      </form>
    </details>
  );
}
