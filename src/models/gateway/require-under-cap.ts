import { explainCapHit } from "../../domain/model/caps.ts";
import { OldhandError } from "../../lib/errors.ts";
import type { GatewayAnswer } from "./gateway.ts";

/** Throws if a cap stopped the call: the hint is the command that extends it. */
export function requireUnderCap({ cap, call }: Pick<GatewayAnswer, "cap" | "call">): void {
  if (cap !== null) throw new OldhandError("capped", explainCapHit(cap), { hint: cap.extend, call });
}
