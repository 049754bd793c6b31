import { signal } from "@preact/signals";

export type DialogName = "palette" | "filter" | "keys";

/** The open dialog; at most one. */
export const openDialog = signal<DialogName | null>(null);
