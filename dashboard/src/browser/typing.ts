/** Single-letter keys belong to the field that is being typed in. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input:not([type=checkbox], [type=radio]), textarea, select");
}

/** Whether a key is for the page: no modifier, nothing typed in, no dialog in front of it. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false;
  return document.querySelector("dialog[open]") === null;
}
