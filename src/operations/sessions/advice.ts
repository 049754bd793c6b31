import { z } from "zod";
import type { Context } from "../../context.ts";
import { decisionLabel } from "../../domain/event/decision-label.ts";
import { levels } from "../../domain/rule/rule.ts";
import { formatRuleText } from "../../domain/rule/wording/rule-message.ts";
import { estimateTokens } from "../../domain/advice/context-window.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { composeFittingPrompt } from "../../recall/at-prompt.ts";
import { summariseDay, summariseQuietSessions, summariseSession } from "../../record/session-summaries.ts";
import { listMistakes, listWins } from "../../store/nouns/ledger.ts";
import { recordMemoryUses } from "../../store/shown/memory-uses.ts";
import { getRule } from "../../store/nouns/rules.ts";
import { type SessionSummary, listSummariesOfDay } from "../../store/sessions/session-summaries.ts";
import { recordShownParts, readShownSoFar } from "../../store/shown/shown.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";
import { requireSession } from "./sessions.ts";
import { workspaceInput } from "../shared/shapes.ts";

const advice = defineOperation({
  name: "advice",
  summary: "Shows the rules and memories that fit a prompt, numbered; empty if none fit.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["markers", "owner-edits", "vectors"],
  surfaces: ["cli", "http", "mcp"],
  input: z.object({
    prompt: z.string().min(1).describe("what you are about to do"),
    workspace: workspaceInput("the folder you work in; this one if omitted"),
    session: z.string().min(1).max(500).optional().describe("session id; items already shown in it are skipped"),
    host: z.string().default("oldhand").describe("the session's host"),
  }),
  positional: ["prompt"],
  freeText: true,
  output: z.object({
    text: z.string().describe("the text an agent gets; empty if nothing fits"),
    rules: z.array(z.object({ id: z.string(), level: z.enum(levels), text: z.string() })),
    memories: z.array(z.string()).describe("ids of the memories; their texts are quoted in `text`"),
    tokens: z.number(),
  }),
  run: async (ctx, input) => {
    const { db, clock } = ctx;
    const now = clock.now();
    const { host, prompt, session = null } = input;
    const to = { session, workspace: input.workspace ?? resolveTypedWorkspace("."), maxCharacters: MAX_CHARACTERS };
    const shown = session === null ? { parts: new Set<string>(), tokens: 0 } : await readShownSoFar(db, host, session);
    // Other sessions' work and reminders are left out: they belong to the session's own prompts.
    const message = await composeFittingPrompt(ctx, to, { prompt, shown });
    const parts = message?.parts ?? [];
    const memories = parts.filter((part) => part.kind === "memory").map((part) => part.subject);
    if (session !== null) await recordShownParts(db, { at: now, host, session, moment: "prompt" }, parts);
    else await recordMemoryUses(db, memories, { at: now, kind: "recalled" });
    const rules = [];
    for (const part of parts) {
      const rule = part.kind === "rule" ? await getRule(db, part.subject) : null;
      if (rule !== null) rules.push({ id: rule.id, level: rule.level, text: formatRuleText(rule) });
    }
    return { text: message?.text ?? "", rules, memories, tokens: estimateTokens(message?.text ?? "") };
  },
  isNegative: ({ text }) => text === "",
  render: ({ text }) => text || "Nothing fits.",
});

const MAX_CHARACTERS = 40_000;

const summaryShape = z
  .object({
    host: z.string(),
    session: z.string(),
    workspace: z.string().nullable(),
    startedAt: z.string(),
    lastAt: z.string(),
    text: z.string(),
    topics: z.array(z.string()),
    decisions: z.array(z.string()),
    threads: z.array(z.string()).describe("what is left open"),
  })
  .meta({ id: "SessionSummary" });

const summary = defineOperation({
  name: "sessions summary",
  summary: "Summarises a session in a few lines of its own words: what was asked, decided and left open.",
  effect: "touches",
  prepare: ["events"],
  input: z.object({ id: z.string().min(1).describe("the session's id, or its beginning") }),
  positional: ["id"],
  output: summaryShape,
  run: async (ctx, input) => {
    const session = await requireSession(ctx, input.id);
    const made = await summariseSession(ctx.db, session);
    if (made === null)
      throw new OldhandError("not-found", `nothing was asked or done in session ${session.id}`, {
        hint: "oldhand sessions show lists its events",
      });
    return summaryOut(made);
  },
  render: (one) => summaryText(one),
});

const daily = defineOperation({
  name: "daily",
  summary: "Shows the log of a day: sessions, what was decided and left open, mistakes and wins.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["events", "markers"],
  input: z.object({
    day: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .optional()
      .describe("the day, such as 2026-01-31 (UTC); today if omitted"),
    workspace: workspaceInput("only sessions in this folder"),
  }),
  positional: ["day"],
  output: z.object({
    day: z.string(),
    sessions: z.array(summaryShape),
    topics: z.array(z.string()),
    decisions: z.array(z.string()),
    threads: z.array(z.string()),
    entries: z.array(z.object({ kind: z.enum(["mistake", "win"]), id: z.string(), what: z.string() })),
  }),
  run: async (ctx, input) => {
    const day = input.day ?? iso(ctx.clock.now()).slice(0, 10);
    await summariseQuietSessions(ctx);
    await summariseDay(ctx.db, day);
    const { workspace } = input;
    const sessions = await listSummariesOfDay(ctx.db, day, workspace);
    const all = (of: (one: SessionSummary) => readonly string[]) => [...new Set(sessions.flatMap(of))];
    return {
      day,
      sessions: sessions.map(summaryOut),
      topics: all((one) => one.topics),
      decisions: all((one) => one.decisions),
      threads: all((one) => one.threads),
      entries: await listEntriesOfDay(ctx, day, workspace),
    };
  },
  isNegative: ({ sessions, entries }) => sessions.length + entries.length === 0,
  render: (log) =>
    log.sessions.length + log.entries.length === 0
      ? `Nothing on ${log.day}.`
      : [
          `${log.day}: ${plural(log.sessions.length, "session")}`,
          ...log.sessions.map(summaryText),
          ...log.entries.map((entry) => `${entry.kind}  ${oneLine(entry.what)}`),
        ].join("\n"),
});

export const adviceOperations = [advice, summary, daily] as const;

async function listEntriesOfDay({ db }: Pick<Context, "db">, day: string, workspace: string | undefined) {
  const isOf = (entry: { readonly at: number; readonly workspace: string | null }) =>
    iso(entry.at).startsWith(day) && (workspace === undefined || entry.workspace === workspace);
  const mistakes = (await listMistakes(db))
    .filter(isOf)
    .map(({ id, what }) => ({ kind: "mistake" as const, id, what }));
  const wins = (await listWins(db)).filter(isOf).map(({ id, what }) => ({ kind: "win" as const, id, what }));
  return [...mistakes, ...wins];
}

function summaryOut(one: SessionSummary): z.infer<typeof summaryShape> {
  const { host, session, workspace, text } = one;
  return {
    host,
    session,
    workspace,
    text,
    startedAt: iso(one.startedAt),
    lastAt: iso(one.lastAt),
    topics: [...one.topics],
    decisions: [...one.decisions],
    threads: [...one.threads],
  };
}

function summaryText(one: z.infer<typeof summaryShape>): string {
  return [
    `${one.lastAt}  ${one.host}  ${one.session}`,
    `  ${one.text}`,
    ...(one.topics.length > 0 ? [`  about: ${one.topics.join(", ")}`] : []),
    ...one.decisions.map((decision) => `  ${decisionLabel(decision)}: ${decision}`),
    ...one.threads.map((thread) => `  open: ${thread}`),
  ].join("\n");
}
