import type { CallControl } from "../../domain/rule/delivery/delivery.ts";
import type { Protocol } from "./host.ts";

const calls: CallControl = { note: "never", refusal: "nothing", asks: "no", holds: false };

/** For hosts without hooks, or for which we write none: payloads in their name are ignored. */
export const noProtocol: Protocol = { decode: () => [], encode: () => "", contextLimits: {}, calls };
