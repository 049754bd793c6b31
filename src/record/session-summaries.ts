import type { Context } from "../context.ts";
import type { Event } from "../domain/event/event.ts";
import { readCall } from "../domain/cause/read-call.ts";
import { summarise } from "../domain/event/summary.ts";
import { MINUTE } from "../lib/clock.ts";
import type { SessionKey } from "../store/events/around-session.ts";
import type { Db } from "../store/engine/db.ts";
import { getEventsByIds, listLastEventIds } from "../store/events/events.ts";
import {
  getSummary,
  putSummary,
  listUnsummarisedOfDay,
  type SessionSummary,
  listUnsummarisedSessions,
} from "../store/sessions/session-summaries.ts";

/** Recomputes a session's summary, unless it covers the last event. Null if there is nothing to summarise. */
export async function summariseSession(db: Db, session: SessionKey): Promise<SessionSummary | null> {
  const ids = await listLastEventIds(db, session, Number.MAX_SAFE_INTEGER, MAX_EVENTS);
  const [upTo] = ids;
  if (upTo === undefined) return null;
  const known = await getSummary(db, session);
  if (known?.upTo === upTo) return known;
  const events = (await getEventsByIds(db, ids)).toSorted((a, b) => a.seq - b.seq || a.id - b.id).map(readEvent);
  const parts = summarise(events);
  if (parts === null) return null;
  const times = events.map((event) => event.at);
  const summary: SessionSummary = {
    ...parts,
    host: session.host,
    session: session.id,
    workspace: events.find((event) => event.workspace !== null)?.workspace ?? null,
    startedAt: Math.min(known?.startedAt ?? Number.POSITIVE_INFINITY, ...times),
    lastAt: Math.max(...times),
    upTo,
  };
  await putSummary(db, summary);
  return summary;
}

/** Summarises quiet sessions, at most one batch per run. Knows sessions up to the last digest. */
export async function summariseQuietSessions(ctx: Pick<Context, "db" | "clock" | "config">): Promise<number> {
  const quietSince = ctx.clock.now() - ctx.config.policy.observe.liveMinutes * MINUTE;
  const sessions = await listUnsummarisedSessions(ctx.db, quietSince, BATCH);
  for (const session of sessions) await summariseSession(ctx.db, session);
  return sessions.length;
}

/** Includes running sessions, because the whole day was requested. */
export async function summariseDay(db: Db, day: string): Promise<void> {
  for (const session of await listUnsummarisedOfDay(db, day, BATCH)) await summariseSession(db, session);
}

/** For a longer session only the last part is summarised: decisions and open threads are there. */
const MAX_EVENTS = 1_500;
const BATCH = 200;

function readEvent(event: Event): Event {
  return event.kind === "call" && event.outcome === null ? { ...event, ...readCall(event) } : event;
}
