import type { Origin } from "./rule.ts";

/** How a rule comes with a call: as a note, or so that the call does not run. Hardest last. */
export const deliveryKinds = ["note", "hold", "ask", "deny"] as const;
export type Delivery = (typeof deliveryKinds)[number];

/** What a host does with an answer to a call that is about to run. How a rule is delivered there follows from it. */
export interface CallControl {
  /** When the model reads a note about the call: before the call runs, with its result, or never. */
  readonly note: "in time" | "with the result" | "never";
  /** What a refusal stops. */
  readonly refusal: "the call" | "the run" | "nothing";
  /** Whether its user is asked. `hangs`: it asks also where nobody sits before it, and waits for ever. */
  readonly asks: "yes" | "no" | "hangs";
  /** Whether a call may be held: it was seen that a refusal stops that call alone, and that the model then reads why. */
  readonly holds: boolean;
}

/** What becomes of a rule at `ask`: a host that cannot ask refuses what its owner wants to be asked about, and holds what was mined. */
export function deliveryForAsk({ asks, holds, refusal }: CallControl, origin: Origin): Delivery {
  if (refusal !== "the call") return "note";
  if (asks === "yes") return "ask";
  if (origin === "owner") return "deny";
  return holds ? "hold" : "note";
}
