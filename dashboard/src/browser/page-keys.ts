import { signal } from "@preact/signals";

export type PageKey = { readonly keys: string; readonly does: string };

/** The keys of the components now on screen, for the list that `?` opens. */
export const pageKeys = signal<readonly PageKey[]>([]);

/** Keys that work on every page. */
export const globalKeys: readonly PageKey[] = [
  { keys: "Ctrl K", does: "Search everything, or run a command" },
  { keys: "f", does: "Choose the time range and the workspace" },
  { keys: "/", does: "Go to the filter of this page" },
  { keys: "j k", does: "Go to the next or previous row" },
  { keys: "Enter", does: "Open the row" },
  { keys: "?", does: "Show these keys" },
];

/** Adds keys while a component is on screen. Returns a function that removes them. */
export function announceKeys(keys: readonly PageKey[]): () => void {
  pageKeys.value = [...pageKeys.peek(), ...keys];
  return () => {
    pageKeys.value = pageKeys.peek().filter((key) => !keys.includes(key));
  };
}
