import type { CallControl } from "../../domain/rule/delivery.ts";
import type { Protocol } from "./host.ts";

const calls: CallControl = { note: "never", refusal: "nothing", asks: "no", holds: false };

/** For hosts without hooks, or with none that we write: whatever is sent in their name is nothing seen. */
export const noProtocol: Protocol = { decode: () => [], encode: () => "", contextLimits: {}, calls };
