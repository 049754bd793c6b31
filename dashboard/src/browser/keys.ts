import { views } from "../views.ts";
import { type DialogName, openDialog } from "./dialogs.ts";
import { moveInLists } from "./list-keys.ts";
import { navigateTo } from "./location.ts";
import { isForPage } from "./typing.ts";

/** Handles `globalKeys`; `g` followed by a letter opens a page. */
export function listenForKeys(): void {
  let afterG = false;
  document.addEventListener("keydown", (event) => {
    if (isPaletteKey(event)) return openPalette(event);
    if (!isForPage(event)) return;
    const wasAfterG = afterG;
    afterG = event.key === "g" && !wasAfterG;
    if (wasAfterG) return goTo(event);
    actions[event.key]?.(event);
  });
}

const actions: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
  "/": focusFilter,
  j: (event) => moveInLists("next") && event.preventDefault(),
  k: (event) => moveInLists("previous") && event.preventDefault(),
  f: (event) => show(event, "filter"),
  "?": (event) => show(event, "keys"),
};

function isPaletteKey(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
}

/** Works while typing too; the same key closes the palette. */
function openPalette(event: KeyboardEvent): void {
  event.preventDefault();
  openDialog.value = openDialog.peek() === "palette" ? null : "palette";
}

function show(event: KeyboardEvent, name: DialogName): void {
  event.preventDefault();
  openDialog.value = name;
}

function goTo(event: KeyboardEvent): void {
  // After `g` a letter is never passed on: the page's own keys must not react to it.
  if (/^[a-z]$/.test(event.key)) event.preventDefault();
  const view = views.find(({ nav }) => nav?.key === event.key);
  if (view !== undefined) navigateTo(view.path);
}

function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLElement>("[data-filter]");
  if (filter === null) return;
  event.preventDefault();
  filter.focus();
}
