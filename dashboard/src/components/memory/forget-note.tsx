import { useState } from "preact/hooks";
import { WithCommands } from "../with-commands.tsx";

/** HTTP offers no operation that deletes history, so this shows the command to run instead. */
export function ForgetNote({ id, isActive }: { readonly id: string; readonly isActive: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="press" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Forget…
      </button>
      {isOpen && (
        <p role="status" class="max-w-[40ch] basis-full text-sm text-soft">
          {isActive && "Archive it, and no agent is told of it any more; that can be taken back. "}
          Forgetting removes it and the words of its past for good, and cannot be undone. So a terminal does it:{" "}
          <WithCommands text={`\`oldhand memories forget ${id}\``} />
        </p>
      )}
    </>
  );
}
