import { z } from "zod";
import { origins } from "../../domain/rule/rule.ts";
import { isUsersWord, quoted } from "../../domain/trust/quote.ts";
import { DAY, HOUR, iso, parseTime } from "../../lib/clock.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { loadBootMemories } from "../../recall/memory/boot-memories.ts";
import { noteMissingWords, quotePieces, recall, tiers } from "../../recall/memory/recall.ts";
import { aggregateCalls, aggregateKeys } from "../../store/derived/aggregates.ts";
import { recordMemoryUses } from "../../store/shown/memory-uses.ts";
import { clearTurns, storeTurn, listTurns } from "../../store/sessions/working-memory.ts";
import { formatMemory, memoryOut, memoryShape, scopeInput, resolveViewer } from "./memory-shapes.ts";
import { limitInput, timeInput, workspaceInput } from "../shared/shapes.ts";
import { requireVisibleSession } from "../shared/visibility.ts";

const session = z.string().min(1).max(500).describe("the session's id");

const recallSome = defineOperation({
  name: "recall",
  summary:
    "Searches memory; without a query, lists everything for a goal, agent or workspace. Each result names its tier (of four) and origin.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["events", "markers", "owner-edits", "vectors"],
  surfaces: ["cli", "http", "mcp"],
  input: z.object({
    query: z
      .string()
      .min(1)
      .optional()
      .describe("the situation or question; if omitted, everything for the goal, agent or workspace"),
    ...scopeInput,
    workspace: workspaceInput("the folder to search for; this one if omitted"),
    session: session.optional().describe("the session whose working memory to search"),
    tiers: z.array(z.enum(tiers)).optional().describe("only these tiers"),
    limit: limitInput(10).describe("most results of each tier"),
  }),
  positional: ["query"],
  freeText: true,
  output: z.object({
    pieces: z.array(
      z.object({
        tier: z.enum(tiers),
        id: z.string(),
        text: z.string().nullable().describe("null where it is blocked, or where an agent asks: it reads `quoted`"),
        origin: z.enum(origins),
        score: z.number(),
        why: z.string(),
        byWords: z.boolean().nullable().describe("whether it contains a word of the query"),
        at: z.string().nullable(),
        blocked: z.string().nullable(),
      }),
    ),
    note: z.string().nullable().describe("set if no result contains the words"),
    quoted: z.string().describe("the results as quoted data, to show to an agent"),
  }),
  run: async (ctx, input) => {
    if (input.session !== undefined) await requireVisibleSession(ctx, input.session);
    const pieces = await recall(ctx, {
      query: input.query ?? null,
      viewer: await resolveViewer(ctx, input),
      session: input.session,
      tiers: input.tiers,
      limit: input.limit,
      now: ctx.clock.now(),
    });
    return {
      pieces: pieces.map(({ isUsersWord: _word, ...piece }) => ({
        ...piece,
        text: piece.blocked !== null || ctx.actor.kind === "agent" ? null : piece.text,
        at: piece.at === null ? null : iso(piece.at),
      })),
      note: noteMissingWords(pieces),
      quoted: quotePieces(pieces),
    };
  },
  isNegative: ({ pieces }) => pieces.length === 0,
  render: ({ pieces, note, quoted: text }) => {
    if (pieces.length === 0) return "Nothing found.";
    const isForAgent = pieces.some((piece) => piece.text === null && piece.blocked === null);
    const lines = pieces.map(
      (piece) =>
        `${piece.tier.padEnd(9)} ${piece.origin.padEnd(8)} ${piece.id}  ${piece.blocked === null ? oneLine(piece.text ?? "", 160) : `(blocked: ${piece.blocked})`}  (${piece.why})`,
    );
    return [...(note === null ? [] : [note]), ...(isForAgent ? [text] : lines)].join("\n");
  },
});

const boot = defineOperation({
  name: "memories boot",
  summary:
    "Shows the memories a session would start with: the most important, then those that fit the situation or workspace.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["markers", "owner-edits", "vectors"],
  input: z.object({
    situation: z.string().min(1).optional().describe("what the session is about"),
    ...scopeInput,
    workspace: workspaceInput("the folder it starts in; this one if omitted"),
  }),
  positional: ["situation"],
  freeText: true,
  output: z.object({
    memories: z.array(memoryShape.extend({ because: z.enum(["importance", "workspace", "similarity"]) })),
    quoted: z.string(),
  }),
  run: async (ctx, input) => {
    const loaded = await loadBootMemories(ctx, {
      viewer: await resolveViewer(ctx, input),
      situation: input.situation ?? null,
      policy: ctx.config.policy.recall,
      now: ctx.clock.now(),
    });
    const ids = loaded.map(({ memory }) => memory.id);
    await recordMemoryUses(ctx.db, ids, { at: ctx.clock.now(), kind: "recalled" });
    return {
      memories: loaded.map(({ memory, because }) => ({ ...memoryOut(memory), because })),
      quoted: quoted(
        loaded.map(({ memory }) => ({
          label: `memory ${memory.id}`,
          origin: memory.trust,
          isUsersWord: isUsersWord(memory),
          text: memory.text,
        })),
      ),
    };
  },
  render: ({ memories }) =>
    memories.length === 0
      ? "No memories to start with."
      : memories.map((memory) => `${memory.because.padEnd(10)} ${formatMemory(memory)}`).join("\n"),
});

const turnsShape = z.object({
  turns: z.array(z.object({ key: z.string(), text: z.string(), until: z.string() })),
});

const keep = defineOperation({
  name: "working keep",
  label: "Keep a note",
  summary: "Saves a turn to a session's working memory for some hours. When it is full, the oldest turns are removed.",
  effect: "write",
  input: z.object({
    session,
    text: z.string().min(1).describe("the text to save"),
    hours: z.coerce.number<number>().min(1).max(24).optional().describe("how long to keep it, 1 to 24 hours"),
  }),
  positional: ["session", "text"],
  freeText: true,
  output: z.object({ key: z.string(), dropped: z.number() }),
  run: (ctx, input) => {
    const { workingHours, workingBytes } = ctx.config.policy.memory;
    return storeTurn(ctx.db, {
      session: input.session,
      text: input.text,
      now: ctx.clock.now(),
      ttlMs: (input.hours ?? workingHours) * HOUR,
      maxBytes: workingBytes,
    });
  },
  render: ({ key, dropped }) => `Saved as ${key}${dropped > 0 ? `; ${plural(dropped, "older turn")} removed` : ""}.`,
});

const working = defineOperation({
  name: "working list",
  summary: "Lists a session's working memory, oldest first.",
  effect: "touches",
  prepare: ["markers"],
  input: z.object({ session }),
  positional: ["session"],
  output: turnsShape,
  run: async (ctx, input) => {
    await requireVisibleSession(ctx, input.session);
    const turns = await listTurns(ctx.db, input.session, ctx.clock.now());
    return { turns: turns.map(({ key, value, until }) => ({ key, text: value, until: iso(until) })) };
  },
  render: ({ turns }) =>
    turns.length === 0
      ? "Its working memory is empty."
      : turns.map((turn) => `${turn.key}  ${oneLine(turn.text, 160)}`).join("\n"),
});

const clear = defineOperation({
  name: "working clear",
  label: "Clear its notes",
  summary: "Clears a session's working memory.",
  effect: "destroys",
  input: z.object({ session }),
  positional: ["session"],
  output: z.object({ removed: z.number() }),
  // An agent may delete its own working memory.
  isOwnerOnly: () => false,
  run: async (ctx, input) => {
    await requireVisibleSession(ctx, input.session);
    return { removed: await clearTurns(ctx.db, input.session) };
  },
  render: ({ removed }) => `${plural(removed, "turn")} removed.`,
});

const stats = defineOperation({
  name: "stats",
  summary: "Counts calls by host, tool, workspace or day: how many ran, how many worked, and what failures cost.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["events"],
  input: z.object({
    by: z.enum(aggregateKeys).default("host").describe("what to count by"),
    workspace: workspaceInput("only calls in this folder"),
    since: timeInput.optional().describe("only calls from this time on; the last 90 days if omitted"),
    limit: limitInput(20),
  }),
  positional: ["by"],
  output: z.object({
    by: z.enum(aggregateKeys),
    rows: z.array(
      z.object({
        name: z.string(),
        calls: z.number(),
        failures: z.number(),
        successRate: z.number(),
        sessions: z.number(),
        minutes: z.number(),
        lostCalls: z.number(),
        lastAt: z.string(),
      }),
    ),
  }),
  run: async (ctx, input) => {
    const since = parseTime(input.since) ?? ctx.clock.now() - ctx.config.policy.observe.episodeDays * DAY;
    const rows = await aggregateCalls(ctx.db, input.by, {
      workspace: input.workspace,
      since,
      limit: input.limit,
    });
    return {
      by: input.by,
      rows: rows.map((row) => ({
        name: row.name,
        calls: row.calls,
        failures: row.failures,
        successRate: Math.round(((row.calls - row.failures) / Math.max(1, row.calls)) * 1_000) / 1_000,
        sessions: row.sessions,
        minutes: Math.round(row.ms / 6_000) / 10,
        lostCalls: row.lost,
        lastAt: iso(row.last),
      })),
    };
  },
  render: ({ by, rows }) =>
    rows.length === 0
      ? "No calls in that time."
      : [
          `${by.padEnd(28)}  calls  failed  worked  sessions  minutes  lost calls`,
          ...rows.map(
            (row) =>
              `${row.name.padEnd(28)} ${String(row.calls).padStart(6)} ${String(row.failures).padStart(7)} ${`${(row.successRate * 100).toFixed(1)} %`.padStart(7)} ${String(row.sessions).padStart(9)} ${String(row.minutes).padStart(8)} ${String(row.lostCalls).padStart(11)}`,
          ),
        ].join("\n"),
});

export const recallOperations = [recallSome, boot, keep, working, clear, stats] as const;
