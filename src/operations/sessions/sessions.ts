import { z } from "zod";
import type { Context } from "../../context.ts";
import { type Event, eventKinds, compareByTime } from "../../domain/event/event.ts";
import { outcomes, outcomeWord } from "../../domain/event/outcome.ts";
import { summariseEvent } from "../../distil/report/event-summary.ts";
import { iso, MINUTE, parseTime } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listPackedEvents } from "../../store/removal/episodes.ts";
import { listSessionEvents } from "../../store/events/events.ts";
import { findSessions, listSessions, type Session } from "../../store/sessions/sessions.ts";
import { findLiveSessions } from "./live-sessions.ts";
import { listStoredHostNames } from "./hosts-last-seen.ts";
import { reportMistakes } from "./report.ts";
import { turnEndReasons } from "../../converse/turn/entry.ts";
import { formatUnanswered, readTurnEnds } from "./turn-ends.ts";
import { readSessionTitles } from "./session-titles.ts";
import { isEventVisible } from "../../domain/trust/visibility.ts";
import { requireVisible } from "../shared/visibility.ts";
import { limitInput, timeInput, workspaceInput } from "../shared/shapes.ts";
import { rangeInput, readRange } from "../shared/time-range.ts";

const sessionShape = z
  .object({
    id: z.string(),
    host: z.string(),
    title: z.string().nullable().describe("its first prompt, or its first call; null if neither is kept"),
    workspace: z.string().nullable(),
    cwd: z.string().nullable(),
    model: z.string().nullable(),
    startedAt: z.string(),
    lastAt: z.string(),
    events: z.number(),
    failures: z.number(),
    live: z.boolean(),
    ended: z
      .object({ reason: z.enum(turnEndReasons), message: z.string().nullable() })
      .nullable()
      .describe("how the last turn ended, for a session of oldhand's own agent"),
  })
  .meta({ id: "Session" });

const eventShape = z
  .object({
    id: z.number(),
    seq: z.number(),
    at: z.string(),
    kind: z.enum(eventKinds),
    tool: z.string().nullable(),
    summary: z.string(),
    input: z.unknown(),
    outcome: z.enum(outcomes).nullable(),
    benign: z.boolean(),
    error: z.string().nullable(),
    signature: z.string().nullable(),
    durationMs: z.number().nullable(),
    text: z.string().nullable(),
  })
  .meta({ id: "SessionEvent" });

const list = defineOperation({
  name: "sessions list",
  summary: "Lists sessions, newest first.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["events"],
  input: z.object({
    limit: limitInput(50),
    host: z.string().optional().describe("only sessions of this host"),
    workspace: workspaceInput("only sessions in this folder"),
    failing: z.boolean().optional().describe("only sessions with failures"),
    ...rangeInput,
    before: timeInput.optional().describe("only sessions older than this time"),
  }),
  output: z.object({ sessions: z.array(sessionShape), more: z.boolean() }),
  run: async (ctx, input) => {
    const before = input.before === undefined ? undefined : (parseTime(input.before) ?? undefined);
    const hosts = input.host === undefined ? undefined : listStoredHostNames(input.host);
    const rows = await listSessions(ctx.db, { ...input, ...readRange(input), hosts, before, limit: input.limit + 1 });
    const shown = rows.slice(0, input.limit);
    return {
      sessions: await sessionsOut(ctx, shown),
      more: rows.length > input.limit,
    };
  },
  render: ({ sessions }) =>
    sessions.length === 0
      ? "No sessions yet. `oldhand import` imports the transcripts of agents on this machine."
      : sessions
          .map(
            (one) =>
              `${one.lastAt}  ${one.host.padEnd(12)} ${String(one.events).padStart(6)} events ${String(one.failures).padStart(4)} failed  ${one.id}  ${one.workspace ?? ""}${one.title === null ? "" : `\n    ${one.title}`}${formatUnanswered(one)}`,
          )
          .join("\n"),
});

const show = defineOperation({
  name: "sessions show",
  summary: "Shows the events of one session.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({
    id: z.string().min(1).describe("the session's id, or its beginning"),
    limit: limitInput(200),
    after: z.coerce.number<number>().int().default(-1).describe("only events after this position"),
  }),
  positional: ["id"],
  output: z.object({
    session: sessionShape,
    events: z.array(eventShape).describe("in the order they happened"),
    more: z.boolean(),
    next: z.number().nullable().describe("pass this as `after` for more; null at the end"),
  }),
  run: async (ctx, input) => {
    const session = await requireSession(ctx, input.id);
    const events = await listSessionEvents(ctx.db, session, { after: input.after, limit: input.limit + 1 });
    const page = events.slice(0, input.limit);
    const more = events.length > input.limit;
    return {
      session: await sessionOut(ctx, session),
      events: page.toSorted(compareByTime).map(eventOut),
      more,
      next: more ? (page.at(-1)?.seq ?? null) : null,
    };
  },
  render: ({ session, events }) =>
    [
      `${session.host} ${session.id} in ${session.workspace ?? "an unknown folder"}: ${plural(session.events, "event")}, ${session.failures} failed`,
      ...(session.title === null ? [] : [session.title]),
      ...events.map(
        (one) =>
          `${one.at}  ${String(one.seq).padStart(5)}  ${whatHappened(one).padEnd(11)} ${one.summary}${one.error === null ? "" : `\n${" ".repeat(33)}${oneLine(one.error, 120)}`}`,
      ),
    ].join("\n"),
});

const replay = defineOperation({
  name: "sessions replay",
  summary: "Shows one session as a complete timeline, including what only its episodes keep.",
  effect: "touches",
  prepare: ["events"],
  surfaces: ["cli"],
  input: z.object({ id: z.string().min(1).describe("the session's id, or its beginning") }),
  positional: ["id"],
  output: z.object({
    session: sessionShape,
    events: z.array(eventShape),
    packed: z.number().describe("how many of them come from episodes"),
  }),
  run: async (ctx, input) => {
    const session = await requireSession(ctx, input.id);
    const { events, packed } = await readWholeSession(ctx.db, session);
    return { session: await sessionOut(ctx, session), events: events.map(eventOut), packed };
  },
  render: ({ session, events }) =>
    [
      `${session.host} ${session.id} in ${session.workspace ?? "an unknown folder"}, ${session.startedAt} to ${session.lastAt}`,
      ...formatTimeline(events),
    ].join("\n"),
});

export const sessionOperations = [list, show, replay, reportMistakes] as const;

/** An episode holds the events packed so far; the table has the later ones. */
async function readWholeSession(db: Context["db"], session: Session): Promise<{ events: Event[]; packed: number }> {
  const episodes = await listPackedEvents(db, session);
  const uids = new Set(episodes.map((event) => event.uid));
  const events = [...episodes];
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const page = await listSessionEvents(db, session, { after, limit: PAGE });
    events.push(...page.filter((event) => !uids.has(event.uid)));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.seq;
  }
  return { events: events.toSorted(compareByTime), packed: episodes.length };
}

const PAGE = 2_000;

function whatHappened({ outcome, benign, kind }: z.infer<typeof eventShape>): string {
  return outcome === null ? kind : outcomeWord({ outcome, benign });
}

/** Each event with the time since the first; long pauses get a line. */
function formatTimeline(events: readonly z.infer<typeof eventShape>[]): string[] {
  const begin = parseTime(events[0]?.at) ?? 0;
  let before = begin;
  return events.flatMap((one) => {
    const at = parseTime(one.at) ?? before;
    const silence = at - before;
    before = at;
    return [
      ...(silence >= LONG_SILENCE_MS ? [`           … ${formatSpan(silence)} later`] : []),
      `+${formatSpan(at - begin).padEnd(9)} ${whatHappened(one).padEnd(13)} ${one.summary}`,
      ...(one.error === null ? [] : [`${" ".repeat(25)}${oneLine(one.error, 120)}`]),
    ];
  });
}

const LONG_SILENCE_MS = 10 * MINUTE;

function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const two = (value: number) => String(value).padStart(2, "0");
  return `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

export async function requireSession(ctx: Context, id: string): Promise<Session> {
  const all = await findSessions(ctx.db, id);
  const visible = all.filter((each) => isEventVisible(ctx, each.workspace));
  const found = visible.length === 0 ? all : visible;
  const [one] = found;
  if (one === undefined)
    throw new OldhandError("not-found", `there is no session ${id}`, { hint: "oldhand sessions list" });
  if (found.length > 1 && visible.length > 0)
    throw new OldhandError(
      "usage",
      `${id} is ambiguous: ${found.map((each) => `${each.host} ${each.id}`).join(", ")}`,
      { hint: "type more of the id" },
    );
  requireVisible(isEventVisible(ctx, one.workspace), `session ${one.id}`);
  return one;
}

async function sessionOut(ctx: Context, session: Session): Promise<z.infer<typeof sessionShape>> {
  const [out] = await sessionsOut(ctx, [session]);
  if (out === undefined) throw new OldhandError("not-found", `there is no session ${session.id}`);
  return out;
}

async function sessionsOut(ctx: Context, sessions: readonly Session[]): Promise<z.infer<typeof sessionShape>[]> {
  const titleOf = await readSessionTitles(ctx, sessions);
  const working = await findLiveSessions(ctx, sessions);
  const endOf = await readTurnEnds(ctx, sessions);
  return sessions.map((session) => ({
    id: session.id,
    host: session.host,
    title: titleOf(session),
    workspace: session.workspace,
    cwd: session.cwd,
    model: session.model,
    startedAt: iso(session.startedAt),
    lastAt: iso(session.lastAt),
    events: session.events,
    failures: session.failures,
    live: working.has(session),
    ended: endOf(session),
  }));
}

function eventOut(event: Event): z.infer<typeof eventShape> {
  return {
    id: event.id,
    seq: event.seq,
    at: iso(event.at),
    kind: event.kind,
    tool: event.tool,
    summary: summariseEvent(event),
    input: event.input,
    outcome: event.outcome,
    benign: event.benign,
    error: event.error,
    signature: event.signature,
    durationMs: event.durationMs,
    text: event.text,
  };
}
