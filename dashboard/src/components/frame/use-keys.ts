import { useLayoutEffect, useRef } from "preact/hooks";
import { announceKeys } from "../../browser/page-keys.ts";
import { isForPage } from "../../browser/typing.ts";

export type KeyAction = {
  /** As the list of keys says it. */
  readonly does: string;
  readonly run: () => void;
  /** Whether a key that is held down goes on. */
  readonly repeats?: boolean;
};

/** Single keys of a page: not while typing, not with a modifier, and not where the key meant something else already. */
export function useKeys(actions: Readonly<Record<string, KeyAction>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  const listed = JSON.stringify(Object.entries(actions).map(([keys, { does }]) => ({ keys, does })));
  useLayoutEffect(() => announceKeys(JSON.parse(listed)), [listed]);
  // Before the paint: a key pressed on what is seen is heard.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isForPage(event)) return;
      const action = latest.current[event.key];
      if (action === undefined || (event.repeat && action.repeats !== true)) return;
      event.preventDefault();
      action.run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
