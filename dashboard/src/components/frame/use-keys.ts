import { useLayoutEffect, useRef } from "preact/hooks";
import { announceKeys } from "../../browser/page-keys.ts";
import { isForPage } from "../../browser/typing.ts";

export type KeyAction = {
  /** The description in the list of keys. */
  readonly does: string;
  readonly run: () => void;
  /** True if a held key repeats the action. */
  readonly repeats?: boolean;
};

/** Registers single-letter keys of a page. Ignored while typing, with a modifier, and if already handled. */
export function useKeys(actions: Readonly<Record<string, KeyAction>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  const listed = JSON.stringify(Object.entries(actions).map(([keys, { does }]) => ({ keys, does })));
  useLayoutEffect(() => announceKeys(JSON.parse(listed)), [listed]);
  // A layout effect, so that the keys work from the first paint.
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
