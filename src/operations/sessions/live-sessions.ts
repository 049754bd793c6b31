import type { Context } from "../../context.ts";
import { isSessionLeft } from "../../converse/session/session-lease.ts";
import { AGENT_HOST } from "../../domain/event/agent-session.ts";
import type { Event } from "../../domain/event/event.ts";
import { MINUTE } from "../../lib/clock.ts";
import { readOffTimes } from "../../observe/off-times.ts";
import { getEventsByIds, listLastEventIds } from "../../store/events/events.ts";
import { readImportedSessions, isOnlyImported } from "../../store/events/imported-sessions.ts";
import type { Session } from "../../store/sessions/sessions.ts";

/** The sessions in which an agent is at work, each with its last event. All output that says "live" uses this. */
export async function findLiveSessions(
  ctx: Context,
  sessions: readonly Session[],
): Promise<ReadonlyMap<Session, Event | undefined>> {
  const now = ctx.clock.now();
  const working = new Map<Session, Event | undefined>();
  const open = sessions.filter((session) => !hasEnded(session) && getQuietTime(ctx, session) > now);
  if (open.length === 0) return working;
  const imported = await readImportedSessions(ctx.db, now);
  const off = readOffTimes(ctx.config.home, now);
  for (const session of open) {
    // oldhand knows of its own agent that the process is gone; of others it only knows that they are quiet.
    if (session.host === AGENT_HOST && (await isSessionLeft(ctx, session.id))) continue;
    const [last] = await getEventsByIds(ctx.db, await listLastEventIds(ctx.db, session, Number.MAX_SAFE_INTEGER, 1));
    if (last !== undefined && (isOnlyImported(imported, last) || off.hasSince(last))) continue;
    working.set(session, last);
  }
  return working;
}

/** When a session counts as quiet, unless another event comes. */
export function getQuietTime(ctx: Pick<Context, "config">, session: Session): number {
  return session.lastAt + ctx.config.policy.observe.liveMinutes * MINUTE;
}

/** A session that was resumed after its end has not ended. */
function hasEnded(session: Session): boolean {
  return session.endedAt !== null && session.lastAt <= session.endedAt;
}
