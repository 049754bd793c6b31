import type { Context } from "../context.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { UnreachedKind } from "../lib/unreached.ts";
import type { CallAdvice } from "../recall/calls/before-call.ts";
import { judgeByCopy } from "../recall/copy/judge-by-copy.ts";
import { type ReplyPlan, toPendingCall } from "./attend.ts";

export interface ReplyByCopy {
  /** The reply in the host's own protocol; empty if the calls may run. */
  readonly text: string;
  readonly kind: Exclude<UnreachedKind, "unsaid">;
  /** Calls that were denied, for the spool. */
  readonly denied: readonly NewEvent[];
}

/** The reply to pending calls if the server does not answer: by the local copy of the rules at `ask` and `deny`. */
export async function replyByCopy(ctx: Pick<Context, "config" | "clock">, plan: ReplyPlan): Promise<ReplyByCopy> {
  let decision: CallAdvice["decision"] = null;
  let kind: ReplyByCopy["kind"] = "passed";
  const denied: NewEvent[] = [];
  for (const event of plan.pendingCalls) {
    const { call, capability } = toPendingCall(plan, event);
    const verdict = await judgeByCopy(ctx, call, capability);
    if (verdict.kind !== "judged") {
      kind = verdict.kind;
      continue;
    }
    if (verdict.isDamaged) kind = "damaged";
    if (verdict.decision === null) continue;
    // A payload may hold several calls: a question about one must not hide the denial of another.
    if (decision?.kind !== "deny") decision = verdict.decision;
    if (verdict.decision.kind !== "deny") continue;
    const { toDeniedCall } = await import("./unstored-call.ts");
    const stored = toDeniedCall(ctx, plan, event, verdict.decision.reason);
    if (stored !== null) denied.push(stored);
  }
  const [first] = plan.pendingCalls;
  if (decision === null || first === undefined) return { text: "", kind, denied };
  return { text: plan.protocol.encode(first, { decision }), kind: "stopped", denied };
}
