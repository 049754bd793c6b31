import type { Answer, HookEvent } from "./hook-event.ts";

/**
 * The answer for a plugin of ours that runs inside its host. What it blocks a call with is the call's error, in these
 * words; a user who cannot be asked is not, so the model is told.
 */
export function encodeForPlugin(event: HookEvent, answer: Answer): string {
  const { context, decision, forPerson } = answer;
  if (event.moment !== "before-call" || event.takes !== "decision")
    return context === undefined && forPerson === undefined ? "" : JSON.stringify({ context, forPerson });
  if (decision === undefined) return "";
  return JSON.stringify(
    decision.kind === "deny" ? { deny: `Blocked by a rule: ${decision.reason}` } : { context: decision.reason },
  );
}
