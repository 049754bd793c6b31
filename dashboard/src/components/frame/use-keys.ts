import { useLayoutEffect, useRef } from "preact/hooks";
import { isTyping } from "../../browser/typing.ts";

/** Single keys of a page: not while typing, not with a modifier, and not where the key meant something else already. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  // Before the paint: a key pressed on what is seen is heard.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const taken = event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented;
      if (taken || isTyping(event.target)) return;
      const action = latest.current[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
