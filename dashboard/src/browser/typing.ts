/** Single-letter keys belong to the field that is being typed in. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input:not([type=checkbox]), textarea, select");
}
