import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type DialogName, openDialog } from "../../browser/dialogs.ts";

type Props = {
  readonly name: DialogName;
  readonly label: string;
  /** Classes for its position on a wide screen. */
  readonly place: string;
  readonly children: ComponentChildren;
};

/** A modal dialog. The browser traps the focus in it and restores the focus when it closes. */
export function Modal({ name, label, place, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = openDialog.value === name;
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const leave = () => {
    if (openDialog.peek() === name) openDialog.value = null;
  };
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      class={`modal ${place}`}
      // Not "close": it comes after the browser closed the dialog, when it may have been opened again.
      onCancel={leave}
      // A click on the backdrop has the dialog itself as target; a click inside has a child.
      onMouseDown={({ target, currentTarget }) => target === currentTarget && leave()}
    >
      {isOpen && children}
    </dialog>
  );
}
