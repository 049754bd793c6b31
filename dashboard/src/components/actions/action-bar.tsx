import { useRef, useState } from "preact/hooks";
import type { OperationRoute } from "../../api/api-result.ts";
import type { DeclaredAction, Subject } from "../../actions/action.ts";
import { needsDialog } from "../../actions/action.ts";
import { listActions } from "../../actions/applicable.ts";
import { isBusy, type PendingAction, startAction } from "../../actions/run-action.ts";

type Props = {
  readonly subject: Subject;
  /** Actions with their own button, in this order; the others go into a menu. Default: all have a button. */
  readonly first?: readonly OperationRoute[];
  /** True hides the menu. */
  readonly only?: boolean;
  readonly label?: string;
  readonly onDone?: PendingAction["onDone"];
  readonly onUndone?: PendingAction["onUndone"];
};

/** Buttons and a menu for the actions that apply to a subject. */
export function ActionBar({ subject, first, only = false, label = "Decide", onDone, onUndone }: Props) {
  const all = listActions(subject);
  const shown = first === undefined ? all : first.flatMap((route) => all.find((one) => one.route === route) ?? []);
  const others = only ? [] : all.filter((action) => !shown.includes(action));
  const start = (action: DeclaredAction) =>
    void startAction({ action, subject, ...(onDone ? { onDone } : {}), ...(onUndone ? { onUndone } : {}) });
  if (shown.length + others.length === 0) return null;
  return (
    <div role="group" aria-label={label} class="flex flex-wrap items-center gap-2">
      {shown.map((action) => (
        <button
          key={action.route}
          type="button"
          class="press"
          title={action.summary}
          aria-haspopup={needsDialog(action) ? "dialog" : undefined}
          disabled={isBusy.value}
          onClick={() => start(action)}
        >
          {action.label}
        </button>
      ))}
      {others.length > 0 && <Menu actions={others} onChoose={start} />}
    </div>
  );
}

type MenuProps = { readonly actions: readonly DeclaredAction[]; readonly onChoose: (action: DeclaredAction) => void };

/** The menu's width plus a margin, in pixels. */
const WIDTH = 208;

function Menu({ actions, onChoose }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  // Rendered only while open: a closed menu would still extend past the edge of a narrow screen.
  const [side, setSide] = useState<"left-0" | "right-0" | null>(null);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  return (
    <details
      ref={menu}
      class="relative"
      onToggle={({ currentTarget: { open } }) => setSide(open ? findSide(menu.current) : null)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !menu.current?.open) return;
        event.preventDefault();
        close();
        menu.current.querySelector("summary")?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !menu.current?.contains(relatedTarget)) close();
      }}
    >
      <summary class="press list-none select-none">More…</summary>
      {side !== null && (
        <ul
          class={`absolute z-20 mt-1 w-48 rounded border border-edge bg-raised py-1 shadow-lg max-sm:fixed max-sm:inset-x-3 max-sm:bottom-4 max-sm:w-auto ${side}`}
        >
          {actions.map((action) => (
            <li key={action.route}>
              <button
                type="button"
                class={`block w-full px-3 py-1.5 text-left text-sm hover:bg-sunken ${action.effect === "destroys" ? "text-fail" : ""}`}
                title={action.summary}
                disabled={isBusy.value}
                onClick={() => {
                  close();
                  onChoose(action);
                }}
              >
                {action.label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** The side with enough room for the menu. On a phone the menu is at the bottom, at full width. */
function findSide(menu: Element | null): "left-0" | "right-0" {
  return (menu?.getBoundingClientRect().left ?? 0) + WIDTH > innerWidth ? "right-0" : "left-0";
}
