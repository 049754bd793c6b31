import { z } from "zod";
import type { Context } from "../../context.ts";
import { type Event, eventKinds } from "../../domain/event/event.ts";
import { outcomes, outcomeWord } from "../../domain/event/outcome.ts";
import { readCall } from "../../domain/cause/read-call.ts";
import { folderCovers } from "../../domain/workspace.ts";
import { summariseEvent } from "../../distil/report/event-summary.ts";
import { iso, SECOND } from "../../lib/clock.ts";
import { defineOperation } from "../../operation.ts";
import { listEventsAfter } from "../../store/events/events.ts";
import type { StreamEvent } from "../../stream-event.ts";
import { limitInput, workspaceInput } from "../shared/shapes.ts";

const followedShape = z
  .object({
    id: z.number(),
    at: z.string(),
    host: z.string(),
    session: z.string(),
    workspace: z.string().nullable(),
    seq: z.number(),
    kind: z.enum(eventKinds),
    tool: z.string().nullable(),
    summary: z.string(),
    outcome: z.enum(outcomes).nullable(),
    benign: z.boolean(),
  })
  .meta({ id: "FollowedEvent" });

type Followed = z.infer<typeof followedShape>;

const follow = defineOperation({
  name: "sessions follow",
  summary:
    "Shows each event of agents as it is stored, until you press Ctrl-C. Without streaming, returns the events after a given number.",
  effect: "read",
  byWorkspace: true,
  input: z.object({
    after: z.coerce
      .number<number>()
      .int()
      .min(0)
      .optional()
      .describe("show events after this number; if omitted, only new events"),
    host: z.string().optional().describe("only events of this host"),
    workspace: workspaceInput("only events of this folder"),
    limit: limitInput(200),
  }),
  output: z.object({
    events: z.array(followedShape),
    next: z.number().describe("pass this as `after` to continue"),
  }),
  run: readPage,
  stream: async function* (ctx, input): AsyncGenerator<StreamEvent<never>> {
    let after = input.after ?? (await readPage(ctx, input)).next;
    for await (const _ of watchChanges(ctx)) {
      for (let more = true; more;) {
        const { events, next } = await readPage(ctx, { ...input, after });
        for (const item of events) yield { kind: "item", item };
        more = next > after;
        after = next;
      }
    }
  },
  render: ({ events }) => (events.length === 0 ? "Nothing new." : events.map(formatEvent).join("\n")),
  renderItem: (item) => formatEvent(item as Followed),
});

export const followOperations = [follow] as const;

interface FollowQuery {
  readonly after?: number | undefined;
  readonly host?: string | undefined;
  readonly workspace?: string | undefined;
  readonly limit: number;
}

async function readPage({ db }: Context, query: FollowQuery): Promise<{ events: Followed[]; next: number }> {
  const settled = await db.dialect.settledEvents(db);
  if (query.after === undefined) return { events: [], next: settled };
  const found = await listEventsAfter(db, query.after, settled, query.limit);
  const wanted = found
    .filter((event) => query.host === undefined || event.host === query.host)
    .filter(
      (event) =>
        query.workspace === undefined || (event.workspace !== null && folderCovers(query.workspace, event.workspace)),
    );
  return { events: wanted.map(followedOut), next: found.at(-1)?.id ?? query.after };
}

/** A call that a hook has just stored has no outcome yet; it is computed here and stored by the digest. */
function followedOut(event: Event): Followed {
  const { outcome, benign } = event.kind === "call" && event.outcome === null ? readCall(event) : event;
  const { id, host, session, workspace, seq, kind, tool } = event;
  return {
    id,
    at: iso(event.at),
    host,
    session,
    workspace,
    seq,
    kind,
    tool,
    summary: summariseEvent(event),
    outcome,
    benign,
  };
}

function formatEvent(one: Followed): string {
  const where = one.workspace ?? one.session;
  return `${one.at}  ${one.host.padEnd(12)} ${where}  ${(one.outcome === null ? one.kind : outcomeWord({ ...one, outcome: one.outcome })).padEnd(11)} ${one.summary}`;
}

const BEAT_MS = SECOND;

/**
 * Yields once at once, then whenever something may have changed, until stopped. Also every second: in
 * PostgreSQL, rows of concurrent writers may become visible only after their notification.
 */
async function* watchChanges({ store, signal }: Context): AsyncGenerator<void> {
  let pending = true;
  let wake = () => {};
  const change = () => {
    pending = true;
    wake();
  };
  const watch = await store.watch(change);
  const beat = setInterval(change, BEAT_MS);
  signal.addEventListener("abort", change);
  try {
    while (!signal.aborted) {
      if (!pending) await new Promise<void>((resolve) => (wake = resolve));
      pending = false;
      if (!signal.aborted) yield;
    }
  } finally {
    clearInterval(beat);
    signal.removeEventListener("abort", change);
    await watch.close();
  }
}
