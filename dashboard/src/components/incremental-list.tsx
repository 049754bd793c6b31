import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";

type Props<T> = {
  readonly items: readonly T[];
  readonly children: (item: T) => ComponentChildren;
};

const FIRST = 20;
const STEP = 40;
const PAUSE_MS = 120;

/** A long list: as much as a screen shows at once, the rest a moment later, piece by piece, so that nobody waits for all of it. */
export function IncrementalList<T>({ items, children }: Props<T>) {
  const [shown, setShown] = useState(FIRST);
  useEffect(() => {
    if (shown >= items.length) return;
    const timer = setTimeout(() => setShown(shown + STEP), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [shown, items.length]);
  return <Fragment>{items.slice(0, shown).map(children)}</Fragment>;
}
