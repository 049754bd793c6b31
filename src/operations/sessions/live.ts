import { z } from "zod";
import type { Context } from "../../context.ts";
import { type Event, eventKinds } from "../../domain/event/event.ts";
import { outcomes } from "../../domain/event/outcome.ts";
import { summariseEvent } from "../../distil/report/event-summary.ts";
import { iso } from "../../lib/clock.ts";
import { defineOperation } from "../../operation.ts";
import { listSessions, type Session } from "../../store/sessions/sessions.ts";
import { findLiveSessions, getQuietTime } from "./live-sessions.ts";
import { isEventVisible } from "../../domain/trust/visibility.ts";
import { workspaceInput } from "../shared/shapes.ts";

const liveShape = z
  .object({
    id: z.string(),
    host: z.string(),
    workspace: z.string().nullable(),
    cwd: z.string().nullable(),
    model: z.string().nullable(),
    startedAt: z.string(),
    lastAt: z.string(),
    liveUntil: z.string().describe("when it counts as ended if no event follows"),
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
      .describe("its last event"),
  })
  .meta({ id: "LiveSession" });

const live = defineOperation({
  name: "sessions live",
  summary: "Shows what agents are doing now, in all hosts and workspaces.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({ workspace: workspaceInput("only in this folder") }),
  output: z.object({ sessions: z.array(liveShape) }),
  run: async (ctx, input) => {
    const sessions = await listSessions(ctx.db, { workspace: input.workspace, limit: MOST });
    const seen = sessions.filter((session) => isEventVisible(ctx, session.workspace));
    const working = await findLiveSessions(ctx, seen);
    return { sessions: [...working].map(([session, last]) => liveOut(ctx, session, last)) };
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

/** More than anyone has open; the newest come first. */
const MOST = 200;

function liveOut(ctx: Context, session: Session, event: Event | undefined): z.infer<typeof liveShape> {
  return {
    id: session.id,
    host: session.host,
    workspace: session.workspace,
    cwd: session.cwd,
    model: session.model,
    startedAt: iso(session.startedAt),
    lastAt: iso(session.lastAt),
    liveUntil: iso(getQuietTime(ctx, session)),
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
    summary: summariseEvent(event),
    outcome: event.outcome,
    benign: event.benign,
  };
}
