import type { CallControl } from "../src/domain/rule/delivery/delivery.ts";

/** A host that accepts everything, and whose model reads a note only with the call's result. */
export const takesAll: CallControl = { note: "with the result", refusal: "the call", asks: "yes", holds: true };
