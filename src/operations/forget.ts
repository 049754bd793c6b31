import { z } from "zod";
import type { Context } from "../context.ts";
import { removeOrphanLogs } from "../converse/session/session-log.ts";
import { contentOf } from "../converse/undo/file-state.ts";
import { removeContent } from "../converse/undo/kept-contents.ts";
import { AGENT_HOST } from "../domain/event/agent-session.ts";
import { parseTime } from "../lib/clock.ts";
import { OldhandError } from "../lib/errors.ts";
import { oneLine, plural } from "../lib/text.ts";
import { resolveTypedWorkspace } from "../observe/protocol/workspace.ts";
import { defineOperation } from "../operation.ts";
import { findChatSession, listChatSessionIds } from "../store/chat/chat-sessions.ts";
import { listKeptStates } from "../store/chat/checkpoints.ts";
import type { SessionKey } from "../store/events/around-session.ts";
import { makeProvenance, forgetSubject } from "../store/journal/journal.ts";
import { nouns } from "../store/nouns/nouns.ts";
import { previewPurge, type PurgeReport, purgeEvents } from "../store/removal/purge.ts";
import type { PurgeScope } from "../store/events/purge-scope.ts";
import { scrubAndListRemains, remainsShape, formatForgottenRule, formatRemains } from "./shared/forgotten.ts";
import { forgetFactNamed, noFact } from "./sessions/facts.ts";
import { forgetMemory } from "./memory/memories.ts";
import { requireSession } from "./sessions/sessions.ts";
import { findSessions } from "../store/sessions/sessions.ts";
import { timeInput } from "./shared/shapes.ts";
import { resolveAnyId } from "./shared/resolve-id.ts";

const purgeShape = z.object({
  written: z.boolean(),
  sessions: z.object({ whole: z.number(), partly: z.number() }),
  counts: z.record(z.string(), z.number()).describe("rows of each table"),
  rules: z
    .array(z.object({ id: z.string(), text: z.string(), cited: z.number(), only: z.boolean() }))
    .describe(
      "rules that cite removed calls; the rule stays, the citation is removed. only: all its cited calls are removed",
    ),
  stays: z
    .array(z.object({ id: z.string(), text: z.string() }))
    .describe("memories and ledger entries that came from it"),
});

const forgetAny = defineOperation({
  name: "forget",
  summary:
    "Removes one entry by its id, or all events of a session, of a folder or before a time. Events are only shown; --write removes them. This cannot be undone.",
  effect: "destroys",
  prepare: ["events"],
  surfaces: ["cli"],
  input: z.object({
    id: z
      .string()
      .min(1)
      .optional()
      .describe("the id of a rule, memory, fact, ledger entry or proposal, or the key of a memory"),
    session: z.string().min(1).optional().describe("remove everything of this session"),
    workspace: z.string().min(1).optional().describe("remove everything that happened in this folder"),
    before: timeInput.optional().describe("remove everything that happened before this time"),
    write: z.boolean().default(false).describe("remove what is shown; not needed with an id"),
  }),
  positional: ["id"],
  isOwnerOnly: ({ id, write }) => id !== undefined || write,
  output: z.object({
    forgotten: z.string().nullable(),
    purge: purgeShape.nullable(),
    ...remainsShape.shape,
  }),
  run: async (ctx, input) => {
    const { id, session, workspace, before } = input;
    const isPurge = session !== undefined || workspace !== undefined || before !== undefined;
    if ((id === undefined) !== isPurge)
      throw new OldhandError("usage", "forget needs either an id or at least one of --session, --workspace, --before", {
        hint: "oldhand forget ID, or --session ID, --workspace DIR, --before TIME",
      });
    if (id !== undefined)
      return { forgotten: await forgetOne(ctx, id), purge: null, ...(await scrubAndListRemains(ctx)) };
    const scope = await resolvePurgeScope(ctx, { session, workspace, before });
    if (!input.write)
      return { forgotten: null, purge: purgeOut(await previewPurge(ctx.db, scope), false), ...untouched };
    ctx.report({ text: "removing events" });
    const kept = await listKeptHashes(ctx);
    const made = await purgeEvents(ctx.db, scope, makeProvenance(ctx, "forget"));
    const needed = await listKeptHashes(ctx);
    for (const hash of kept) if (!needed.has(hash)) removeContent(ctx.config.home, hash);
    // A session that lost its beginning gets its file again when it is opened.
    removeOrphanLogs(ctx.config.home, await listChatSessionIds(ctx.db, { since: scope.before ?? 0 }));
    return { forgotten: null, purge: purgeOut(made, true), ...(await scrubAndListRemains(ctx)) };
  },
  isNegative: ({ purge: made }) => made !== null && !made.written,
  render: (made) =>
    made.purge === null
      ? [`Forgotten: ${made.forgotten}`, ...formatForgottenRule(made.forgotten), ...formatRemains(made)].join("\n")
      : [...formatPurge(made.purge), ...(made.purge.written ? formatRemains(made) : [])].join("\n"),
});

export const forgetOperations = [forgetAny] as const;

const untouched = { waits: null, keptIn: [] };

/** Accepts any id, or a memory's key. */
async function forgetOne(ctx: Context, typed: string): Promise<string> {
  const fact = await forgetFactNamed(ctx, typed);
  if (fact !== null) return fact;
  if (/^f_[\da-f]{6,}$/.test(typed)) throw noFact(typed);
  const id = await resolveAnyId(ctx.db, typed);
  for (const noun of nouns) {
    if (noun.name === "memory" || noun.name === "identity" || (await noun.read(ctx.db, id)) === null) continue;
    await forgetSubject(ctx.db, { noun, id }, makeProvenance(ctx, "forget"));
    return id;
  }
  return forgetMemory(ctx, id);
}

/** Of the copies that checkpoints need. */
async function listKeptHashes({ db }: Context): Promise<ReadonlySet<string>> {
  return new Set((await listKeptStates(db)).flatMap(({ before }) => contentOf(before) ?? []));
}

async function resolvePurgeScope(
  ctx: Context,
  input: {
    readonly session?: string | undefined;
    readonly workspace?: string | undefined;
    readonly before?: string | undefined;
  },
): Promise<PurgeScope> {
  return {
    session: input.session === undefined ? undefined : await requireSessionToForget(ctx, input.session),
    workspace: input.workspace === undefined ? undefined : resolveTypedWorkspace(input.workspace),
    before: input.before === undefined ? undefined : (parseTime(input.before) ?? undefined),
  };
}

/** A session of oldhand's own agent may have no events: where observation is off. */
async function requireSessionToForget(ctx: Context, typed: string): Promise<SessionKey> {
  const chat = await findChatSession(ctx.db, typed);
  const isPlain = chat !== null && (await findSessions(ctx.db, typed)).length === 0;
  return isPlain ? { host: AGENT_HOST, id: chat.id } : requireSession(ctx, typed);
}

function purgeOut(made: PurgeReport, written: boolean): z.infer<typeof purgeShape> {
  return { written, ...made, counts: { ...made.counts }, rules: [...made.rules], stays: [...made.stays] };
}

/** What a person knows of a session; all other rows are counts of it. */
const spokenTables: ReadonlyMap<string, string> = new Map([
  ["events", "event"],
  ["chat_entries", "message"],
  ["model_calls", "model call"],
  ["approvals", "approval"],
  ["checkpoints", "copy of a file"],
]);

function describeCounts(counts: Readonly<Record<string, number>>, isOne: boolean): string {
  const named = [...spokenTables].flatMap(([table, word]) => {
    const count = counts[table] ?? 0;
    return count === 0 ? [] : [table === "checkpoints" && count > 1 ? `${count} copies of files` : plural(count, word)];
  });
  const hasSummary = (counts["session_summaries"] ?? 0) > 0;
  const others = Object.keys(counts).some((table) => !spokenTables.has(table) && table !== "session_summaries");
  const parts = [
    ...named,
    ...(hasSummary ? [isOne ? "its summary" : "their summaries"] : []),
    ...(others ? [isOne ? "its counts" : "their counts"] : []),
  ];
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

function formatPurge(made: z.infer<typeof purgeShape>): readonly string[] {
  const { whole, partly } = made.sessions;
  const sessions = `${plural(whole, "whole session")}${partly > 0 ? ` and parts of ${partly}` : ""}`;
  if (whole + partly === 0) return ["Nothing stored matches."];
  return [
    `${made.written ? "Removed" : "Would remove"} ${sessions}: ${describeCounts(made.counts, whole + partly === 1)}.`,
    ...made.rules.map(
      (rule) =>
        `  rule ${rule.id} ${made.written ? "lost" : "would lose"} ${plural(rule.cited, "cited call")}${rule.only ? ", all it was learned from" : ""}: ${oneLine(rule.text, 80)}`,
    ),
    ...made.stays.map((one) => `  stays: ${one.id}  ${oneLine(one.text, 80)}`),
    ...(made.rules.length + made.stays.length > 0 ? ["  `oldhand forget ID` removes one of these."] : []),
    ...(made.written ? [] : ["This cannot be undone. Nothing was removed; add --write."]),
  ];
}
