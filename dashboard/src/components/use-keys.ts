import { useLayoutEffect, useRef } from "preact/hooks";
import { isTyping } from "../browser/typing.ts";

/** Single keys of a page: not while typing, not with a modifier, and not where the key meant something else already. */
export function useKeys(deeds: Readonly<Record<string, () => void>>): void {
  const latest = useRef(deeds);
  latest.current = deeds;
  // Before the paint: a key pressed on what is seen is heard.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const taken = event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented;
      if (taken || isTyping(event.target)) return;
      const deed = latest.current[event.key];
      if (deed === undefined) return;
      event.preventDefault();
      deed();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
