import type { Wire } from "./host.ts";

/** For hosts without hooks, or with none that we write: whatever is sent in their name is nothing seen. */
export const noWire: Wire = { decode: () => [], encode: () => "", hears: {} };
