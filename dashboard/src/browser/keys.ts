import { views } from "../views.ts";
import { navigateTo } from "./location.ts";
import { isTyping } from "./typing.ts";

/** `/` goes to the filter of the page; `g` and a letter go to a page. */
export function listenForKeys(): void {
  let afterG = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const wasAfterG = afterG;
    afterG = event.key === "g" && !wasAfterG;
    if (event.key === "/") focusFilter(event);
    if (!wasAfterG) return;
    // The letter after `g` names a page, or nothing: to a page with keys of its own it must not mean something else.
    if (/^[a-z]$/.test(event.key)) event.preventDefault();
    const view = views.find(({ nav }) => nav?.key === event.key);
    if (view !== undefined) navigateTo(view.path);
  });
}

function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLElement>("[data-filter]");
  if (filter === null) return;
  event.preventDefault();
  filter.focus();
}
