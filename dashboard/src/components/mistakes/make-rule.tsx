import { useState } from "preact/hooks";
import type { RepeatedMistake as Mistake } from "../../api/contract.ts";
import { useActions } from "../../api/use-actions.ts";
import { rulePath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { type CompletedAction, DoneNotice } from "../history/done-notice.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";

/** For a mistake without a rule: take the one that is proposed, or write one. */
export function MakeRule({ mistake }: { readonly mistake: Mistake }) {
  return mistake.rule === null ? <WriteRule mistake={mistake} /> : <TakeProposal />;
}

function TakeProposal() {
  const actions = useActions();
  const [written, setWritten] = useState<number | null>(null);
  const take = async () => {
    const made = await actions.act("distil", { write: true, only: ["failures"] });
    if (made) setWritten(made.written);
  };
  return (
    <div class="mt-2">
      <button type="button" class="press" disabled={actions.busy} onClick={() => void take()}>
        Make it a rule
      </button>
      {actions.problem && <ProblemNotice problem={actions.problem} />}
      <p role="status" class="text-sm text-soft">
        {written !== null && (
          <>
            {formatMany(written, "rule")} written.{" "}
            <a href="/rules/review" class="underline">
              Review
            </a>
          </>
        )}
      </p>
    </div>
  );
}

function WriteRule({ mistake: { head, workspaces } }: { readonly mistake: Mistake }) {
  const actions = useActions();
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState<(CompletedAction & { readonly id: string | null }) | null>(null);
  const save = async (form: HTMLFormElement) => {
    const given = new FormData(form);
    const text = (name: string) => String(given.get(name) ?? "").trim();
    const made = await actions.act("learn", {
      text: text("text"),
      ...(text("command") === "" ? {} : { command: text("command") }),
      ...(text("workspace") === "" ? {} : { workspace: text("workspace") }),
    });
    if (!made) return;
    setOpen(false);
    setDone({ text: "Written: it holds from now on.", change: made.change?.id ?? null, id: made.rule.id });
  };
  return (
    <div class="mt-2">
      {!isOpen && (
        <button type="button" class="press" aria-expanded={false} onClick={() => setOpen(true)}>
          Write a rule
        </button>
      )}
      {isOpen && (
        <form
          class="grid max-w-[44rem] gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            void save(event.currentTarget);
          }}
          onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
        >
          <label class="flex flex-col gap-1 text-soft">
            What an agent should do instead
            <input name="text" class="field w-full" required autofocus autocomplete="off" maxLength={2000} />
          </label>
          <label class="flex flex-col gap-1 text-soft">
            The command it warns against, if it is about one
            <input name="command" class="field w-full font-mono" autocomplete="off" defaultValue={head ?? ""} />
          </label>
          <label class="flex flex-col gap-1 text-soft">
            Where it holds
            <select name="workspace" class="field">
              {workspaces.map((path) => (
                <option key={path} value={path}>
                  in {workspaceName(path)}
                </option>
              ))}
              <option value="">everywhere</option>
            </select>
          </label>
          <div class="flex gap-2">
            <button type="submit" class="press" disabled={actions.busy}>
              Write the rule
            </button>
            <button type="button" class="press" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </form>
      )}
      {actions.problem && <ProblemNotice problem={actions.problem} />}
      {done !== null && (
        <DoneNotice
          done={done}
          actions={actions}
          onUndone={() => setDone({ text: "Taken back.", change: null, id: null })}
        />
      )}
      {done !== null && done.id !== null && (
        <a href={rulePath(done.id)} class="text-sm">
          Open the rule
        </a>
      )}
    </div>
  );
}
