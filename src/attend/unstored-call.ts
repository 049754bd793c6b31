import type { NewEvent } from "../domain/event/event.ts";
import type { HookEvent } from "../observe/protocol/hook-event.ts";
import { toEvent } from "../observe/protocol/to-event.ts";
import { appendEvent } from "../store/events/events.ts";
import type { AttendContext, BeforeCall, ReplyPlan } from "./attend.ts";

/**
 * Stores a call that oldhand denied, because many hosts do not report it. If a host does, both have the same id.
 * Without an id, nothing is stored for a host whose transcript is read, because the call would be stored twice.
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

/** The stored form of a call that is only replied to here and stored from another source. */
export function toStoredCall(
  { config, clock }: AttendContext,
  { workspace }: ReplyPlan,
  event: HookEvent,
): NewEvent | null {
  return toEvent(event, { policy: config.policy.observe, workspace, at: clock.now() });
}
