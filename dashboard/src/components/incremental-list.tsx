import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";

type Props<T> = {
  readonly items: readonly T[];
  readonly children: (item: T) => ComponentChildren;
};

const FIRST = 20;
const STEP = 40;
const PAUSE_MS = 120;

/** Renders the first screen of a long list at once and the rest in steps, so that the page shows quickly. */
export function IncrementalList<T>({ items, children }: Props<T>) {
  const [shown, setShown] = useState(FIRST);
  useEffect(() => {
    if (shown >= items.length) return;
    const timer = setTimeout(() => setShown(shown + STEP), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [shown, items.length]);
  return <Fragment>{items.slice(0, shown).map(children)}</Fragment>;
}
