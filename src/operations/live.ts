import { z } from "zod";
import type { Context } from "../context.ts";
import { type Event, eventKinds } from "../domain/event/event.ts";
import { outcomes } from "../domain/event/outcome.ts";
import { summaryOf } from "../distil/summary.ts";
import { iso, MINUTE } from "../lib/clock.ts";
import { offTimes } from "../observe/off-times.ts";
import { operation } from "../operation.ts";
import { eventsByIds, lastIdsOfSession } from "../store/events.ts";
import { importedSessions, isOnlyImported } from "../store/imported-sessions.ts";
import { listSessions, type Session } from "../store/sessions.ts";

const liveShape = z
  .object({
    id: z.string(),
    host: z.string(),
    workspace: z.string().nullable(),
    cwd: z.string().nullable(),
    model: z.string().nullable(),
    startedAt: z.string(),
    lastAt: z.string(),
    liveUntil: z.string().describe("when it counts as quiet, if nothing more is heard"),
    events: z.number(),
    failures: z.number(),
    last: z
      .object({
        seq: z.number(),
        at: z.string(),
        kind: z.enum(eventKinds),
        tool: z.string().nullable(),
        summary: z.string(),
        outcome: z.enum(outcomes).nullable(),
        benign: z.boolean(),
      })
      .nullable()
      .describe("what was seen of it last"),
  })
  .meta({ id: "LiveSession" });

const live = operation({
  name: "sessions live",
  summary: "What agents are doing right now, over all hosts and workspaces.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({}),
  output: z.object({ sessions: z.array(liveShape) }),
  run: async (ctx) => {
    const now = ctx.clock.now();
    const rows = await listSessions(ctx.db, { limit: MOST });
    const open = rows.filter((session) => !hasEnded(session) && quietAt(ctx, session) > now);
    const imported = await importedSessions(ctx.db, now);
    const off = offTimes(ctx.config.home, now);
    const sessions = [];
    for (const session of open) {
      const [last] = await eventsByIds(ctx.db, await lastIdsOfSession(ctx.db, session, Number.MAX_SAFE_INTEGER, 1));
      if (last !== undefined && (isOnlyImported(imported, last) || off.hasSince(last))) continue;
      sessions.push(liveOut(ctx, session, last));
    }
    return { sessions };
  },
  render: ({ sessions }) =>
    sessions.length === 0
      ? "No agent is at work."
      : sessions
          .map(
            (one) =>
              `${one.lastAt}  ${one.host.padEnd(12)} ${one.workspace ?? one.id}: ${one.last === null ? "" : `${one.last.tool ?? one.last.kind} ${one.last.summary}`}`,
          )
          .join("\n"),
});

export const liveOperations = [live] as const;

/** More than anybody has open; the newest come first. */
const MOST = 200;

function quietAt(ctx: Context, session: Session): number {
  return session.lastAt + ctx.config.policy.observe.liveMinutes * MINUTE;
}

/** One that was resumed since is at work again. */
function hasEnded(session: Session): boolean {
  return session.endedAt !== null && session.lastAt <= session.endedAt;
}

function liveOut(ctx: Context, session: Session, event: Event | undefined): z.infer<typeof liveShape> {
  return {
    id: session.id,
    host: session.host,
    workspace: session.workspace,
    cwd: session.cwd,
    model: session.model,
    startedAt: iso(session.startedAt),
    lastAt: iso(session.lastAt),
    liveUntil: iso(quietAt(ctx, session)),
    events: session.events,
    failures: session.failures,
    last: event === undefined ? null : lastOut(event),
  };
}

function lastOut(event: Event) {
  return {
    seq: event.seq,
    at: iso(event.at),
    kind: event.kind,
    tool: event.tool,
    summary: summaryOf(event),
    outcome: event.outcome,
    benign: event.benign,
  };
}
