import { useState } from "preact/hooks";
import { useActions } from "../../api/use-actions.ts";
import { formatPercent } from "../../text/count.ts";
import { type CompletedAction, DoneNotice } from "../history/done-notice.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";
import { WithCommands } from "../with-commands.tsx";

const memoryActions = {
  confirm: { name: "Confirm", title: "It proved true: more confidence" },
  contradict: { name: "Contradict", title: "It proved wrong: less confidence" },
  archive: { name: "Archive", title: "Out of recall, kept for the record" },
  vouch: { name: "Vouch for it", title: "Trusted like your own word, and no longer blocked" },
} as const;

type MemoryAction = keyof typeof memoryActions;

type Props = {
  readonly id: string;
  readonly kind: "hit" | "active" | "resting";
  readonly blocked?: boolean;
  readonly editing?: { readonly isOpen: boolean; readonly toggle: () => void };
  /** Told of a decision that may take the memory off the list, where nothing could be said beside it any more. */
  readonly onMoved?: (done: CompletedAction) => void;
};

/** What the owner can say about a memory. */
export function MemoryButtons({ id, kind, blocked = false, editing, onMoved }: Props) {
  const actions = useActions();
  const [done, setDone] = useState<CompletedAction | null>(null);
  const [forgetting, setForgetting] = useState(false);
  const offered: readonly MemoryAction[] = [
    ...(kind === "resting" ? [] : (["confirm", "contradict"] as const)),
    ...(kind === "active" ? (["archive"] as const) : []),
    ...(blocked ? (["vouch"] as const) : []),
  ];
  const act = async (action: MemoryAction) => {
    const made = await actions.act(`memories/${action}`, { id });
    if (!made) return;
    const { confidence, status, text } = made.memory;
    const change = made.changes[0]?.id ?? null;
    const isMoved = action === "vouch" || (kind === "active" ? status !== "active" : status === "active");
    if (onMoved && isMoved) {
      onMoved({
        text: `${describeMove(action, status)}: “${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`,
        change,
      });
      return;
    }
    setDone({ text: `Confidence ${formatPercent(confidence)}${status === "active" ? "" : `, ${status}`}.`, change });
  };
  return (
    <div class="flex flex-col items-end gap-1 max-sm:w-full max-sm:items-start">
      <div role="group" aria-label="Decide" class="flex flex-wrap gap-2">
        {offered.map((action) => (
          <button
            key={action}
            type="button"
            class="press"
            title={memoryActions[action].title}
            disabled={actions.busy}
            onClick={() => void act(action)}
          >
            {memoryActions[action].name}
          </button>
        ))}
        {editing && (
          <button
            type="button"
            class="press"
            aria-expanded={editing.isOpen}
            disabled={actions.busy}
            onClick={editing.toggle}
          >
            Edit
          </button>
        )}
        {kind !== "hit" && (
          <button type="button" class="press" aria-expanded={forgetting} onClick={() => setForgetting(!forgetting)}>
            Forget…
          </button>
        )}
      </div>
      {forgetting && <HowToForget id={id} isActive={kind === "active"} />}
      {actions.problem && <ProblemNotice problem={actions.problem} />}
      {done !== null && (
        <DoneNotice done={done} actions={actions} onUndone={() => setDone({ text: "Taken back.", change: null })} />
      )}
    </div>
  );
}

function describeMove(action: MemoryAction, status: string): string {
  if (action === "vouch") return "Vouched for";
  return status === "active" ? "Active again" : "Archived: no longer recalled";
}

// Nothing that takes the past away is for HTTP; the page says how it is done instead.
function HowToForget({ id, isActive }: { readonly id: string; readonly isActive: boolean }) {
  return (
    <p role="status" class="max-w-[40ch] text-sm text-soft sm:text-right">
      {isActive && "Archive it, and no agent is told of it any more; that can be taken back. "}
      Forgetting removes it and the words of its past for good, and cannot be undone. So a terminal does it:{" "}
      <WithCommands text={`\`oldhand memories forget ${id}\``} />
    </p>
  );
}
