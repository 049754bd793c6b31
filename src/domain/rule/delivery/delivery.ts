import type { Origin } from "../rule.ts";

/** How a rule reaches the agent with a call: as a note, or by stopping the call. Hardest last. */
export const deliveryKinds = ["note", "hold", "ask", "deny"] as const;
export type Delivery = (typeof deliveryKinds)[number];

/** What a host does with the reply to a pending call. It determines how rules are delivered. */
export interface CallControl {
  /** When the model reads a note about the call: before the call runs, with its result, or never. */
  readonly note: "in time" | "with the result" | "never";
  /** What a refusal stops. */
  readonly refusal: "the call" | "the run" | "nothing";
  /** Whether its user is asked. `hangs`: it also asks when no user is present, and waits forever. */
  readonly asks: "yes" | "no" | "hangs";
  /** True if it was verified that a refusal stops only that call, and that the model then reads the reason. */
  readonly holds: boolean;
}

/**
 * The delivery of a rule at `ask`. A host that cannot ask refuses the call for an owner's rule and holds it for a mined
 * one.
 */
export function deliveryForAsk({ asks, holds, refusal }: CallControl, origin: Origin): Delivery {
  if (refusal !== "the call") return "note";
  if (asks === "yes") return "ask";
  if (origin === "owner") return "deny";
  return holds ? "hold" : "note";
}
