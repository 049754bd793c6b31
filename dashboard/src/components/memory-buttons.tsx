import { useState } from "preact/hooks";
import { useDeeds } from "../api/use-deeds.ts";
import { percent } from "../text/count.ts";
import { type Done, DoneNotice } from "./done-notice.tsx";
import { Problem } from "./problem.tsx";
import { WithCommands } from "./with-commands.tsx";

const deedsOfMemory = {
  confirm: { name: "Confirm", title: "It proved true: more confidence" },
  contradict: { name: "Contradict", title: "It proved wrong: less confidence" },
  archive: { name: "Archive", title: "Out of recall, kept for the record" },
  vouch: { name: "Vouch for it", title: "Trusted like your own word, and no longer blocked" },
} as const;

type Deed = keyof typeof deedsOfMemory;

type Props = {
  readonly id: string;
  readonly kind: "hit" | "active" | "resting";
  readonly blocked?: boolean;
  readonly editing?: { readonly isOpen: boolean; readonly toggle: () => void };
  /** Told of a decision that may take the memory off the list, where nothing could be said beside it any more. */
  readonly onMoved?: (done: Done) => void;
};

/** What the owner can say about a memory. */
export function MemoryButtons({ id, kind, blocked = false, editing, onMoved }: Props) {
  const deeds = useDeeds();
  const [done, setDone] = useState<Done | null>(null);
  const [forgetting, setForgetting] = useState(false);
  const offered: readonly Deed[] = [
    ...(kind === "resting" ? [] : (["confirm", "contradict"] as const)),
    ...(kind === "active" ? (["archive"] as const) : []),
    ...(blocked ? (["vouch"] as const) : []),
  ];
  const act = async (deed: Deed) => {
    const made = await deeds.act(`memories/${deed}`, { id });
    if (!made) return;
    const { confidence, status, text } = made.memory;
    const change = made.changes[0]?.id ?? null;
    const isMoved = deed === "vouch" || (kind === "active" ? status !== "active" : status === "active");
    if (onMoved && isMoved) {
      onMoved({ text: `${moved(deed, status)}: “${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`, change });
      return;
    }
    setDone({ text: `Confidence ${percent(confidence)}${status === "active" ? "" : `, ${status}`}.`, change });
  };
  return (
    <div class="flex flex-col items-end gap-1 max-sm:w-full max-sm:items-start">
      <div role="group" aria-label="Decide" class="flex flex-wrap gap-2">
        {offered.map((deed) => (
          <button
            key={deed}
            type="button"
            class="press"
            title={deedsOfMemory[deed].title}
            disabled={deeds.busy}
            onClick={() => void act(deed)}
          >
            {deedsOfMemory[deed].name}
          </button>
        ))}
        {editing && (
          <button
            type="button"
            class="press"
            aria-expanded={editing.isOpen}
            disabled={deeds.busy}
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
      {deeds.problem && <Problem problem={deeds.problem} />}
      {done !== null && (
        <DoneNotice done={done} deeds={deeds} onUndone={() => setDone({ text: "Taken back.", change: null })} />
      )}
    </div>
  );
}

function moved(deed: Deed, status: string): string {
  if (deed === "vouch") return "Vouched for";
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
