import { signal } from "@preact/signals";

export type PageKey = { readonly keys: string; readonly does: string };

/** The keys of the parts that are on screen now, for the list that `?` shows. */
export const pageKeys = signal<readonly PageKey[]>([]);

/** Keys that every page has. */
export const globalKeys: readonly PageKey[] = [
  { keys: "Ctrl K", does: "Search everything, or run a command" },
  { keys: "f", does: "Choose the time range and the workspace" },
  { keys: "/", does: "Go to the filter of this page" },
  { keys: "j k", does: "Go to the next or previous row" },
  { keys: "Enter", does: "Open the row" },
  { keys: "?", does: "Show these keys" },
];

/** Adds keys while a part is on screen; the answer takes them away again. */
export function announceKeys(keys: readonly PageKey[]): () => void {
  pageKeys.value = [...pageKeys.peek(), ...keys];
  return () => {
    pageKeys.value = pageKeys.peek().filter((key) => !keys.includes(key));
  };
}
