import type { Context } from "../../context.ts";
import type { Origin } from "../../domain/rule/rule.ts";
import { findBlockReason } from "../../domain/trust/instruction-like.ts";
import { sharedWords } from "../../domain/text/similarity.ts";
import { OldhandError } from "../../lib/errors.ts";
import { cap } from "../../lib/text.ts";
import { findMemories } from "../../recall/memory/memory-search.ts";
import { embedAgentEvents } from "../../search/embed-agent-events.ts";
import { searchEvents } from "../../search/search-events.ts";
import { openQueryEmbedder, type QueryEmbedder } from "../../search/semantic-scores.ts";
import { type AgentExchange, callOfUid, getExchanges, listEqualCalls } from "../../store/events/agent-events.ts";
import { findVerdict } from "../../store/models/agent-calls.ts";
import { recordMemoryUses } from "../../store/shown/memory-uses.ts";
import type { AgentTurn } from "./agent-turns.ts";
import type { RecalledPiece } from "./agent-request.ts";
import type { KeptRequest } from "./keep-exchange.ts";

/** What an agent remembers that may help with a task. */
export interface AgentMemory {
  /** Turns of this session, oldest first. */
  readonly turns: readonly AgentTurn[];
  /** Exchanges of other sessions, and memories; the best first. */
  readonly recalled: readonly { readonly piece: RecalledPiece; readonly origin: Origin }[];
}

export interface RecallTask {
  readonly agent: string;
  /** The stored name of the session. */
  readonly session: string;
  readonly asked: KeptRequest;
  readonly now: number;
}

type RecallContext = Pick<Context, "db" | "config" | "models" | "report">;

/** Recalls only this agent's exchanges and memories, and memories that apply everywhere. */
export async function recallForAgent(ctx: RecallContext, task: RecallTask): Promise<AgentMemory["recalled"]> {
  const { recalled: limit } = ctx.config.policy.agents;
  if (limit === 0) return [];
  const embedder = await openAgentEmbedder(ctx, task.agent);
  const query = cap([task.asked.prompt, formatContext(task.asked.context)].join("\n").trim(), LONGEST_QUERY);
  const memories = await findMemoryPieces(ctx, embedder, { ...task, query, limit });
  const exchanges = await findExchangePieces(ctx, embedder, { ...task, query, limit });
  return [...memories, ...exchanges];
}

const LONGEST_QUERY = 2_000;
const LONGEST_TEXT = 2_000;
const LONGEST_CONTEXT = 800;

/** Null if there is no embedder or it cannot be reached; then recall searches by words. */
async function openAgentEmbedder(ctx: RecallContext, agent: string): Promise<QueryEmbedder | null> {
  try {
    const embedder = await ctx.models.embedder();
    if (embedder === null) return null;
    await embedAgentEvents(ctx.db, agent, embedder);
    return await openQueryEmbedder(ctx);
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    ctx.report({ text: `${error.message}; recalling by words` });
    return null;
  }
}

interface AgentQuery extends RecallTask {
  readonly query: string;
  readonly limit: number;
}

async function findMemoryPieces(
  { db }: RecallContext,
  embedder: QueryEmbedder | null,
  { agent, session, query, limit, now }: AgentQuery,
): Promise<AgentMemory["recalled"]> {
  const found = await findMemories({ db, embedder }, { query, viewer: { agent }, limit, now });
  const told = found.map(({ memory }) => memory).filter((memory) => findBlockReason(memory) === null);
  await recordMemoryUses(
    db,
    told.map(({ id }) => id),
    { at: now, kind: "recalled", host: "oldhand", session },
  );
  return told.map((memory) => ({
    piece: { tier: "semantic", id: memory.id, text: cap(memory.text, LONGEST_TEXT), at: memory.createdAt },
    origin: memory.trust,
  }));
}

/** Exchanges of this agent's other sessions that are similar in meaning, or share words. */
async function findExchangePieces(
  ctx: RecallContext,
  embedder: QueryEmbedder | null,
  task: AgentQuery,
): Promise<AgentMemory["recalled"]> {
  const { db } = ctx;
  const hits = await searchEvents(
    { db, embedder },
    { query: task.query, limit: 6 * task.limit, scope: { agent: task.agent } },
  );
  const fitting = hits.filter(
    ({ event, by, isNear }) =>
      event.session !== task.session &&
      (isNear || (by === "words" && sharedWords(task.query, event.text ?? "").length >= MIN_SHARED_WORDS)),
  );
  const calls = new Map<string, { readonly session: string; readonly call: string }>();
  for (const { event } of fitting) {
    const call = callOfUid(event.uid);
    if (call !== null && !calls.has(call)) calls.set(call, { session: event.session, call });
  }
  const exchanges = (await getExchanges(db, [...calls.values()])).filter(
    (one) => findBlockReason({ trust: "external", text: one.prompt }) === null,
  );
  const pieces: AgentMemory["recalled"][number][] = [];
  for (const one of dropRepeats(exchanges).slice(0, task.limit)) {
    // A verdict holds for the answer, also where the cache repeated it.
    const verdict = await findVerdict(db, await listEqualCalls(db, task.agent, one));
    pieces.push(toExchangePiece(one, verdict));
  }
  return pieces;
}

/** One shared word says little. */
const MIN_SHARED_WORDS = 2;

type Verdict = { readonly quality: number; readonly note: string | null } | null;

function toExchangePiece(one: AgentExchange, feedback: Verdict): AgentMemory["recalled"][number] {
  const judged =
    feedback === null ? [] : [`feedback: ${feedback.quality}${feedback.note === null ? "" : `, ${feedback.note}`}`];
  const data = one.context === null ? [] : [`with the data: ${cap(formatContext(one.context), LONGEST_CONTEXT)}`];
  const asked = [`asked: ${cap(one.prompt, LONGEST_TEXT)}`, ...data];
  const text = [...asked, `answered: ${cap(one.answer, LONGEST_TEXT)}`, ...judged].join("\n");
  return { piece: { tier: "episodic", id: one.call, text, at: one.at }, origin: "agent" };
}

function formatContext(context: unknown): string {
  return context === null ? "" : typeof context === "string" ? context : JSON.stringify(context);
}

/** Keeps one of several exchanges with the same question and answer. */
function dropRepeats(exchanges: readonly AgentExchange[]): readonly AgentExchange[] {
  return [...new Map(exchanges.map((one) => [JSON.stringify([one.prompt, one.context, one.answer]), one])).values()];
}
