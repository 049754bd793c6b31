import { globalKeys, type PageKey, pageKeys } from "../../browser/page-keys.ts";
import { views } from "../../views.ts";
import { Modal } from "./modal.tsx";
import { ModalHead } from "./modal-head.tsx";

/** The dialog with all keys of the current page. */
export function KeyList() {
  return (
    <Modal name="keys" label="Keys" place="sm:m-auto sm:w-[40rem]">
      <ModalHead title="Keys" />
      <div
        // On a phone it scrolls: the keyboard must be able to reach it.
        tabIndex={0}
        role="group"
        aria-label="All keys"
        class="grid gap-x-10 gap-y-5 overflow-y-auto px-4 py-4 sm:grid-cols-2 sm:px-5"
      >
        <div class="flex flex-col gap-5">
          {pageKeys.value.length > 0 && <Keys title="This page" keys={pageKeys.value} />}
          <Keys title="Every page" keys={globalKeys} />
        </div>
        <Keys title="Go to" keys={listPageKeys()} />
      </div>
    </Modal>
  );
}

function Keys({ title, keys }: { readonly title: string; readonly keys: readonly PageKey[] }) {
  return (
    <section>
      <h3 class="mb-1 text-xs font-medium text-faint">{title}</h3>
      <dl class="divide-y divide-line">
        {keys.map((key) => (
          <div key={key.keys} class="flex items-baseline justify-between gap-4 py-1">
            <dt class="text-sm">{key.does}</dt>
            <dd class="flex shrink-0 gap-1">
              {key.keys.split(" ").map((one) => (
                <kbd key={one} class="keycap">
                  {one}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function listPageKeys(): readonly PageKey[] {
  return views.flatMap(({ nav, title }) => (nav ? [{ keys: `g ${nav.key}`, does: title }] : []));
}
