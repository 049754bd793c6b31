import { z } from "zod";
import type { Context } from "../../context.ts";
import { chatEntryOut, chatEntryShape } from "../../converse/session/chat-entry.ts";
import { toEntry } from "../../converse/session/entry-log.ts";
import { type ChatMode, chatModes } from "../../domain/settings/chat-mode.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { defineOperation } from "../../operation.ts";
import { findLastChatEntry, listChatEntryPage } from "../../store/chat/chat-entries.ts";
import { findChatSession, listSubSessionIds, type StoredChatSession } from "../../store/chat/chat-sessions.ts";
import { sumSessionCalls } from "../../store/models/stored-calls.ts";
import { limitInput } from "../shared/shapes.ts";

const chatShape = z
  .object({
    id: z.string(),
    title: z.string(),
    cwd: z.string(),
    workspace: z.string(),
    mode: z.enum(chatModes),
    model: z.string().nullable().describe("null: the router chooses"),
    parent: z.string().nullable().describe("the session that started it as a sub-agent"),
    startedAt: z.string(),
    usedAt: z.string(),
    entries: z.number().describe("how many it has: the number of the last one"),
  })
  .meta({ id: "ChatSession" });

const usageShape = z
  .object({
    calls: z.number().describe("of the session and its sub-agents"),
    tokensIn: z.number(),
    tokensOut: z.number(),
    tokensCached: z.number().describe("the part of tokensIn that the provider had in its cache"),
    cost: z.number().describe("dollars"),
    contextTokens: z.number().describe("of the last request and its answer"),
  })
  .meta({ id: "ChatUsage" });

const entries = defineOperation({
  name: "sessions entries",
  summary:
    "Shows a session of oldhand's own agent as a conversation, a page at a time. Without a bound: the last page.",
  effect: "read",
  surfaces: ["http"],
  input: z.object({
    id: z.string().min(1).describe("the session's id"),
    before: z.coerce.number<number>().int().min(1).optional().describe("only entries before this number"),
    after: z.coerce.number<number>().int().min(0).optional().describe("only entries after this number"),
    limit: limitInput(100),
    whole: z.boolean().optional().describe("do not shorten long texts"),
  }),
  output: z.object({
    session: chatShape,
    usage: usageShape,
    entries: z.array(chatEntryShape).describe("in order"),
  }),
  isOwnerOnly: () => true,
  run: async (ctx, { id, before, after, limit, whole = false }) => {
    const session = await findChatSession(ctx.db, id);
    if (session === null)
      throw new OldhandError("not-found", `there is no session of oldhand's own agent named ${id}`, {
        hint: "oldhand sessions list shows the sessions",
      });
    const range = after === undefined ? { before: before ?? session.entries + 1, limit } : { after, limit };
    const found = await listChatEntryPage(ctx.db, id, range);
    return {
      session: chatOut(session),
      usage: await readUsage(ctx, session),
      entries: found.map((one) => chatEntryOut(toEntry(one), whole)),
    };
  },
});

export const entryOperations = [entries] as const;

function chatOut({ at, usedAt, mode, ...session }: StoredChatSession): z.input<typeof chatShape> {
  const known: ChatMode = chatModes.find((one) => one === mode) ?? "ask";
  return { ...session, mode: known, startedAt: iso(at), usedAt: iso(usedAt) };
}

async function readUsage({ db }: Context, { id }: StoredChatSession): Promise<z.input<typeof usageShape>> {
  const last = await findLastChatEntry(db, id, "assistant");
  const answer = last === null ? null : toEntry(last);
  return {
    ...(await sumSessionCalls(db, [id, ...(await listSubSessionIds(db, id))])),
    contextTokens: answer?.kind === "assistant" ? answer.usage.in + answer.usage.out : 0,
  };
}
