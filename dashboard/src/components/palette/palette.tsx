import { useEffect, useRef, useState } from "preact/hooks";
import { openDialog } from "../../browser/dialogs.ts";
import { navigateTo } from "../../browser/location.ts";
import { formatMany } from "../../text/count.ts";
import { Modal } from "../frame/modal.tsx";
import { listLocalItems } from "./local-items.ts";
import type { PaletteCommand, PaletteItem } from "./palette-item.ts";
import { noteRecent, recentItems } from "./recent-items.ts";
import { useFoundItems } from "./use-found-items.ts";

type Props = { readonly commands?: readonly PaletteCommand[] };

const NO_COMMANDS: readonly PaletteCommand[] = [];

/** Searches pages, rules, mistakes, memories, the ledger and sessions, and runs commands. */
export function Palette({ commands = NO_COMMANDS }: Props) {
  return (
    <Modal name="palette" label="Search everything, or run a command" place="sm:mt-[10vh] sm:w-[42rem]">
      <Finder commands={commands} />
    </Modal>
  );
}

function Finder({ commands }: Required<Props>) {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const found = useFoundItems(words);
  const items = listItems(words, commands, found.items);
  const active = items[Math.min(at, items.length - 1)];
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (active) document.getElementById(idOf(active))?.scrollIntoView({ block: "nearest" });
  }, [active?.key]);

  const onKeyDown = (event: KeyboardEvent) => {
    const moved = findMove(event.key, Math.min(at, items.length - 1), items.length);
    if (moved !== null) {
      event.preventDefault();
      setAt(moved);
    }
    if (event.key === "Enter" && active) {
      event.preventDefault();
      choose(active);
    }
  };
  return (
    <>
      <div class="flex items-center gap-3 border-b border-line px-4">
        <input
          ref={field}
          type="text"
          role="combobox"
          class="min-w-0 flex-1 bg-transparent py-3 text-base text-ink outline-none placeholder:text-faint"
          aria-label="Search everything, or run a command"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={active && idOf(active)}
          placeholder="Search everything, or run a command"
          autocomplete="off"
          spellcheck={false}
          value={words}
          onInput={({ currentTarget }) => {
            setWords(currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="press shrink-0" onClick={() => (openDialog.value = null)}>
          <span class="sm:hidden">Close</span>
          <kbd class="text-faint max-sm:hidden">Esc</kbd>
        </button>
      </div>
      <ul
        id="palette-list"
        role="listbox"
        aria-label="Results"
        class={`min-h-0 overflow-y-auto px-2 py-2 ${items.length === 0 && !found.searching ? "" : "sm:min-h-80"}`}
      >
        {groupItems(items).map(([group, some]) => (
          <li key={group} role="presentation">
            <ul role="group" aria-label={group} class="mb-1">
              <li role="presentation" aria-hidden="true" class="px-2.5 pt-1.5 pb-0.5 text-xs font-medium text-faint">
                {group}
              </li>
              {some.map((item) => (
                <Item
                  key={item.key}
                  item={item}
                  isActive={item === active}
                  onPoint={() => setAt(items.indexOf(item))}
                />
              ))}
            </ul>
          </li>
        ))}
      </ul>
      <p role="status" class="border-t border-line px-4 py-1.5 text-xs text-faint">
        {describe(words, items.length, found)}
      </p>
    </>
  );
}

type ItemProps = { readonly item: PaletteItem; readonly isActive: boolean; readonly onPoint: () => void };

function Item({ item, isActive, onPoint }: ItemProps) {
  return (
    <li
      id={idOf(item)}
      role="option"
      aria-selected={isActive}
      class={`flex cursor-pointer items-baseline gap-3 rounded px-2.5 py-1.5 max-sm:py-2 ${isActive ? "bg-mark" : ""}`}
      onMouseMove={isActive ? undefined : onPoint}
      // Keeps the focus in the text field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => choose(item)}
    >
      <span class="min-w-0 flex-1 truncate">{item.text.replaceAll("`", "")}</span>
      {item.detail !== undefined && <span class="max-w-[40%] shrink-0 truncate text-xs text-soft">{item.detail}</span>}
      {item.keys !== undefined && <kbd class="keycap shrink-0 max-sm:hidden">{item.keys}</kbd>}
    </li>
  );
}

function choose(item: PaletteItem): void {
  openDialog.value = null;
  if ("run" in item) return item.run();
  noteRecent(item);
  navigateTo(item.href);
}

function listItems(
  words: string,
  commands: readonly PaletteCommand[],
  found: readonly PaletteItem[],
): readonly PaletteItem[] {
  const local = listLocalItems(words, commands);
  if (words.trim() !== "") return [...local, ...found];
  const recent = recentItems.value.map((one) => ({ ...one, group: "Recent" }));
  return [...recent, ...local.filter((item) => recent.every((one) => one.key !== item.key))];
}

/** Groups are in the order of their first item. */
function groupItems(items: readonly PaletteItem[]): readonly (readonly [string, readonly PaletteItem[]])[] {
  const groups = new Map<string, PaletteItem[]>();
  for (const item of items) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  return [...groups];
}

function findMove(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "PageDown") return Math.min(count - 1, at + 8);
  if (key === "PageUp") return Math.max(0, at - 8);
  return null;
}

function describe(words: string, count: number, { searching, failed }: ReturnType<typeof useFoundItems>): string {
  if (searching) return "Searching…";
  if (failed) return "The search failed. Pages and commands still work.";
  if (words.trim() === "") return "Type to search rules, mistakes, memories, the ledger and all sessions.";
  return count === 0 ? "Nothing found." : formatMany(count, "result");
}

function idOf({ key }: PaletteItem): string {
  return `palette ${key}`.replaceAll(/[^\w-]/g, "-");
}
