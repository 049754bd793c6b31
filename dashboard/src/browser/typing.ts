/** True if the target is a text field; single-letter keys then belong to it. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input:not([type=checkbox], [type=radio]), textarea, select");
}

/** True if a key is meant for the page: no modifier, no text field focused, no dialog open. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false;
  return document.querySelector("dialog[open]") === null;
}
