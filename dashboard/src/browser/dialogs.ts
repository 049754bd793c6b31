import { signal } from "@preact/signals";

export type DialogName = "palette" | "filter" | "keys";

/** The dialog in front of the page; at most one. */
export const openDialog = signal<DialogName | null>(null);
