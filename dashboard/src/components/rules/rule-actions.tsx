import { useState } from "preact/hooks";
import type { Input } from "../../api/api-result.ts";
import type { Rule } from "../../api/contract.ts";
import { useActions } from "../../api/use-actions.ts";
import { type CompletedAction, DoneNotice } from "../history/done-notice.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";
import { RuleEditor } from "./rule-editor.tsx";

const decisions = {
  approve: { name: "Approve", done: "Approved: in force from now on." },
  reject: { name: "Reject", done: "Rejected: never again, unless approved later." },
  retire: { name: "Retire", done: "Retired: out of force, kept for the record." },
  pin: { name: "Pin", done: "Pinned: kept from decay." },
  unpin: { name: "Unpin", done: "Unpinned: open to decay again." },
} as const;

type Decision = keyof typeof decisions;

/** Everything the owner can decide about a rule; each can be taken back at once. */
export function RuleActions({ rule }: { readonly rule: Rule }) {
  const actions = useActions();
  const [done, setDone] = useState<CompletedAction | null>(null);
  const [editing, setEditing] = useState(false);
  const decide = async (decision: Decision) => {
    const made = await actions.act(`rules/${decision}`, { id: rule.id });
    if (made) setDone({ text: decisions[decision].done, change: made.change?.id ?? null });
  };
  const save = async (edit: Input<"rules/edit">) => {
    const made = await actions.act("rules/edit", edit);
    if (!made) return;
    setEditing(false);
    setDone({ text: made.change ? "Edited." : "Nothing was changed.", change: made.change?.id ?? null });
  };
  const letPass = async () => {
    const made = await actions.act("override", { id: rule.id });
    if (made)
      setDone({ text: "It may be passed once: the next call that it would ask about or deny runs.", change: null });
  };
  return (
    <div class="mt-3">
      <div role="group" aria-label="Decide" class="flex flex-wrap gap-2">
        {listDecisions(rule).map((decision) => (
          <button
            key={decision}
            type="button"
            class="press"
            disabled={actions.busy}
            onClick={() => void decide(decision)}
          >
            {decisions[decision].name}
          </button>
        ))}
        <button
          type="button"
          class="press"
          aria-expanded={editing}
          disabled={actions.busy}
          onClick={() => setEditing(!editing)}
        >
          Edit
        </button>
        {(rule.level === "ask" || rule.level === "deny") && rule.status === "approved" && (
          <button type="button" class="press" disabled={actions.busy} onClick={() => void letPass()}>
            Let it be passed once
          </button>
        )}
      </div>
      {editing && (
        <RuleEditor
          rule={rule}
          busy={actions.busy}
          onSave={(edit) => void save(edit)}
          onLeave={() => setEditing(false)}
        />
      )}
      {actions.problem && <ProblemNotice problem={actions.problem} />}
      <DoneNotice done={done} actions={actions} onUndone={() => setDone({ text: "Taken back.", change: null })} />
    </div>
  );
}

/** What there is to decide about it, as it stands. */
function listDecisions({ status, pinned }: Rule): readonly Decision[] {
  const byStatus = status === "candidate" || status === "approved" || status === "dormant";
  return [
    ...(status === "approved" ? [] : (["approve"] as const)),
    ...(byStatus ? (["reject"] as const) : []),
    ...(status === "approved" || status === "dormant" ? (["retire"] as const) : []),
    pinned ? "unpin" : "pin",
  ];
}
