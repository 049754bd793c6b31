import type { Reply, HookEvent } from "./hook-event.ts";

/**
 * The reply for a plugin of ours that runs inside its host. `deny` becomes the call's error. These hosts cannot ask
 * their user, so for `ask` the reason is given to the model.
 */
export function encodeForPlugin(event: HookEvent, reply: Reply): string {
  const { context, decision, forPerson } = reply;
  if (event.moment !== "before-call" || event.takes !== "decision")
    return context === undefined && forPerson === undefined ? "" : JSON.stringify({ context, forPerson });
  if (decision === undefined) return "";
  return JSON.stringify(
    decision.kind === "deny" ? { deny: `Blocked by a rule: ${decision.reason}` } : { context: decision.reason },
  );
}
