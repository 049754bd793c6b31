import type { Protocol } from "./host.ts";

/** For hosts without hooks, or with none that we write: whatever is sent in their name is nothing seen. */
export const noProtocol: Protocol = { decode: () => [], encode: () => "", hears: {} };
