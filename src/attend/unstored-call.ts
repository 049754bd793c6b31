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
  const denied = toDeniedCall(ctx, plan, event, reason);
  if (denied !== null) await appendEvent(ctx.db, denied);
}

/** What is stored of a denied call; null if nothing is. */
export function toDeniedCall(
  ctx: Pick<AttendContext, "config" | "clock">,
  plan: ReplyPlan,
  event: BeforeCall,
  reason: string,
): NewEvent | null {
  if (event.callId === null && plan.protocol.readNewTranscriptLines !== undefined) return null;
  const { takes: _, ...call } = event;
  const end = { moment: "after-call", ok: false, text: reason, exitCode: null, durationMs: null } as const;
  return toStoredCall(ctx, plan, { ...call, ...end });
}

/** The stored form of a call that is only replied to here and stored from another source. */
export function toStoredCall(
  { config, clock }: Pick<AttendContext, "config" | "clock">,
  { workspace }: ReplyPlan,
  event: HookEvent,
): NewEvent | null {
  return toEvent(event, { policy: config.policy.observe, workspace, at: clock.now() });
}
