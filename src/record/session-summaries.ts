import type { Context } from "../context.ts";
import type { Event } from "../domain/event/event.ts";
import { readCall } from "../domain/event/reading.ts";
import { summarise } from "../domain/event/summary.ts";
import { MINUTE } from "../lib/clock.ts";
import type { SessionKey } from "../store/around-session.ts";
import type { Db } from "../store/engine/db.ts";
import { eventsByIds, lastIdsOfSession } from "../store/events.ts";
import {
  getSummary,
  putSummary,
  sessionsOfDay,
  type SessionSummary,
  unsummarised,
} from "../store/session-summaries.ts";

/** Makes a session's summary anew, unless there is one of its last event. Null where there is nothing to tell. */
export async function summariseSession(db: Db, session: SessionKey): Promise<SessionSummary | null> {
  const ids = await lastIdsOfSession(db, session, Number.MAX_SAFE_INTEGER, MOST);
  const [upTo] = ids;
  if (upTo === undefined) return null;
  const known = await getSummary(db, session);
  if (known?.upTo === upTo) return known;
  const events = (await eventsByIds(db, ids)).toSorted((a, b) => a.seq - b.seq || a.id - b.id).map(read);
  const told = summarise(events);
  if (told === null) return null;
  const times = events.map((event) => event.at);
  const summary: SessionSummary = {
    ...told,
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

/** All that have gone quiet, a bounded piece at a time. Sessions are known up to the last digest. */
export async function summariseQuiet(ctx: Pick<Context, "db" | "clock" | "config">): Promise<number> {
  const quietSince = ctx.clock.now() - ctx.config.policy.observe.liveMinutes * MINUTE;
  const sessions = await unsummarised(ctx.db, quietSince, BATCH);
  for (const session of sessions) await summariseSession(ctx.db, session);
  return sessions.length;
}

/** Also of those still at work: who asks for a day wants all of it. */
export async function summariseDay(db: Db, day: string): Promise<void> {
  for (const session of await sessionsOfDay(db, day, BATCH)) await summariseSession(db, session);
}

/** Of a longer session its last part is told: what was settled and left open is there. */
const MOST = 1_500;
const BATCH = 200;

function read(event: Event): Event {
  return event.kind === "call" && event.outcome === null ? { ...event, ...readCall(event) } : event;
}
