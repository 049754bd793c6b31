import { openDialog } from "../../browser/dialogs.ts";

export function ModalHead({ title }: { readonly title: string }) {
  return (
    <div class="flex items-center justify-between border-b border-line px-4 py-2.5 sm:px-5">
      <h2>{title}</h2>
      <button type="button" class="press" onClick={() => (openDialog.value = null)}>
        Close <kbd class="ml-1 text-faint max-sm:hidden">Esc</kbd>
      </button>
    </div>
  );
}
