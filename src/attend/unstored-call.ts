import type { NewEvent } from "../domain/event/event.ts";
import type { HookEvent } from "../observe/protocol/hook-event.ts";
import { toEvent } from "../observe/protocol/to-event.ts";
import { appendEvent } from "../store/events/events.ts";
import type { AttendContext, BeforeCall, ReplyPlan } from "./attend.ts";

/**
 * A call that we forbid is stored by us: many hosts tell nothing of it. Where one does, it is the same call by its id. Without
 * an id it is left to a host that keeps a record we read, else it would be there twice.
 */
export async function storeDeniedCall(
  ctx: AttendContext,
  plan: ReplyPlan,
  event: BeforeCall,
  reason: string,
): Promise<void> {
  if (event.callId === null && plan.protocol.readNewTranscriptLines !== undefined) return;
  const { takes: _, ...call } = event;
  const end = { moment: "after-call", ok: false, text: reason, exitCode: null, durationMs: null } as const;
  const denied = toStoredCall(ctx, plan, { ...call, ...end });
  if (denied !== null) await appendEvent(ctx.db, denied);
}

/** A call that is only answered here, and stored from elsewhere, in its stored form. */
export function toStoredCall(
  { config, clock }: AttendContext,
  { workspace }: ReplyPlan,
  event: HookEvent,
): NewEvent | null {
  return toEvent(event, { policy: config.policy.observe, workspace, at: clock.now() });
}
