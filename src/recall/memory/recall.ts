import { findBlockReason } from "../../domain/trust/instruction-like.ts";
import { type Memory, type MemoryScope, type Viewer } from "../../domain/memory/memory.ts";
import { extractMarkers } from "../../domain/memory/markers.ts";
import { isUsersWord, type Quotable, quoted, withoutQuoteMarks } from "../../domain/trust/quote.ts";
import type { Origin } from "../../domain/rule/rule.ts";
import { sharedWords } from "../../domain/text/similarity.ts";
import type { Context } from "../../context.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { openQueryEmbedder, type SearchContext } from "../../search/semantic-scores.ts";
import { type EventHit, searchEvents } from "../../search/search-events.ts";
import { aggregateSessions } from "../../store/derived/aggregates.ts";
import type { Db } from "../../store/engine/db.ts";
import { listMemories } from "../../store/nouns/memories.ts";
import { recordMemoryUses } from "../../store/shown/memory-uses.ts";
import { listTurns } from "../../store/sessions/working-memory.ts";
import { findMemories } from "./memory-search.ts";

export const tiers = ["working", "semantic", "episodic", "aggregate"] as const;
export type Tier = (typeof tiers)[number];

/** One recalled item and its tier. */
export interface Piece {
  readonly tier: Tier;
  readonly id: string;
  readonly text: string;
  readonly origin: Origin;
  /** True for a memory in the user's own words. */
  readonly isUsersWord?: boolean;
  readonly score: number;
  readonly why: string;
  /** True if it contains words of the query; null if there is no query or the tier ignores it. */
  readonly byWords: boolean | null;
  readonly at: number | null;
  /** Why it is not shown to agents; null if it is. */
  readonly blocked: string | null;
}

export interface RecallQuery {
  /** The situation; if null, memories of the viewer's narrowest scope. */
  readonly query: string | null;
  readonly viewer: Viewer;
  readonly session?: string | undefined;
  readonly tiers?: readonly Tier[] | undefined;
  readonly limit: number;
  readonly now: number;
}

/** Recalls from four tiers, by words and by meaning. Semantic hits count as used. */
export async function recall(
  ctx: Pick<Context, "db" | "models"> & Partial<Pick<Context, "report">>,
  query: RecallQuery,
): Promise<readonly Piece[]> {
  const { db } = ctx;
  const embedder = query.query === null ? null : await openQueryEmbedder(ctx);
  const wantedTiers = new Set(query.tiers ?? tiers);
  const semantic = wantedTiers.has("semantic") ? await findSemanticPieces({ db, embedder }, query) : [];
  const pieces = [
    ...(wantedTiers.has("working") ? await findWorkingPieces(db, query) : []),
    ...semantic,
    ...(wantedTiers.has("episodic") ? await findEpisodicPieces({ db, embedder }, query) : []),
    ...(wantedTiers.has("aggregate") ? await findAggregatePieces(db, query) : []),
  ];
  await recordMemoryUses(
    db,
    semantic.filter((piece) => piece.blocked === null).map((piece) => piece.id),
    { at: query.now, kind: "recalled", session: query.session },
  );
  return pieces;
}

/** A note if no result contains the words, so that near hits are not mistaken for exact ones. */
export function noteMissingWords(pieces: readonly Piece[]): string | null {
  const looked = pieces.filter((piece) => piece.byWords !== null);
  return looked.length === 0 || looked.some((piece) => piece.byWords)
    ? null
    : "No result contains these words. These are next to the words or near in meaning.";
}

/** The text as an agent gets it. */
export function quotePieces(pieces: readonly Piece[]): string {
  return quoted(
    pieces.map((piece): Quotable => ({
      label: `${piece.tier} ${piece.id}`,
      origin: piece.origin,
      isUsersWord: piece.isUsersWord,
      text: piece.text,
      blocked: piece.blocked === null ? null : `${piece.blocked}; the owner can read it`,
    })),
  );
}

/** "What do I know about this?": all memories of one scope by importance, without search. */
export function listKnownAbout(db: Db, scope: MemoryScope, limit: number): Promise<Memory[]> {
  return listMemories(db, { scope, status: "active", limit });
}

/** "What do I know that fits this situation?": visible memories, by how well they fit. */
async function findSemanticPieces(ctx: SearchContext, question: RecallQuery): Promise<readonly Piece[]> {
  const { query, viewer, limit } = question;
  const found =
    query === null
      ? (await listKnownAbout(ctx.db, findNarrowestScope(viewer), limit)).map((memory) => ({
          memory,
          score: memory.importance / 100,
          why: `known about ${findNarrowestScope(viewer).kind === "global" ? "everything" : `this ${findNarrowestScope(viewer).kind}`}`,
        }))
      : await findMemories(ctx, { query, viewer, limit, now: question.now });
  return found.map(({ memory, score, why }) => ({
    tier: "semantic",
    id: memory.id,
    text: memory.text,
    origin: memory.trust,
    isUsersWord: isUsersWord(memory),
    score,
    why,
    byWords: query === null ? null : why.startsWith("words"),
    at: memory.createdAt,
    blocked: findBlockReason(memory),
  }));
}

function findNarrowestScope(viewer: Viewer): MemoryScope {
  for (const kind of ["goal", "agent", "workspace"] as const) {
    const name = viewer[kind];
    if (name) return { kind, name };
  }
  return { kind: "global" };
}

/** The session's own turns: those that share words with the query first, then the latest. */
async function findWorkingPieces(db: Db, { session, query, limit, now }: RecallQuery): Promise<readonly Piece[]> {
  if (session === undefined) return [];
  const turns = await listTurns(db, session, now);
  return turns
    .map((turn, index) => ({ turn, index, shared: sharedWords(query ?? "", turn.value) }))
    .toSorted((a, b) => b.shared.length - a.shared.length || b.index - a.index)
    .slice(0, limit)
    .map(({ turn, index, shared }) => ({
      tier: "working",
      id: turn.key,
      text: turn.value,
      origin: "agent",
      score: shared.length,
      why: shared.length > 0 ? `words: ${shared.slice(0, 5).join(", ")}` : `turn ${index + 1} of this session`,
      byWords: shared.length > 0 ? true : null,
      at: null,
      blocked: null,
    }));
}

/** Events of this workspace; other workspaces are not searched. */
async function findEpisodicPieces(
  ctx: SearchContext,
  { query, viewer, limit }: RecallQuery,
): Promise<readonly Piece[]> {
  if (query === null || !viewer.workspace) return [];
  const hits = await searchEvents(ctx, {
    query,
    limit,
    scope: { workspace: viewer.workspace },
    related: ctx.embedder?.related,
  });
  return hits.map(toEpisodicPiece);
}

const matchLabels = { words: "has the words", beside: "next to the words", meaning: "near in meaning" } as const;

function toEpisodicPiece({ event, score, by }: EventHit): Piece {
  // What an agent wrote for oldhand is stored already, and says nothing to others.
  const said = event.text === null ? null : withoutQuoteMarks(extractMarkers(event.text).shown);
  const text = [said, event.input === null ? null : JSON.stringify(event.input), event.error]
    .filter(Boolean)
    .join("\n");
  const origin: Origin = event.kind === "prompt" ? "owner" : event.kind === "call" ? "tool" : "agent";
  return {
    tier: "episodic",
    id: `${event.session}#${event.seq}`,
    text: oneLine(text, LONGEST),
    origin,
    score,
    why: `${matchLabels[by]}; ${event.kind}${event.outcome === null ? "" : ` ${event.outcome}`} of ${event.host}`,
    byWords: by === "words",
    at: event.at,
    // An agent's answer is a record of its session, not a statement meant for others, so it is not blocked.
    blocked: origin === "agent" ? null : findBlockReason({ trust: origin, text }),
  };
}

const LONGEST = 400;

async function findAggregatePieces(db: Db, { viewer }: RecallQuery): Promise<readonly Piece[]> {
  if (!viewer.workspace) return [];
  const rows = await aggregateSessions(db, viewer.workspace);
  return rows.map((row) => ({
    tier: "aggregate",
    id: `${row.host} in this workspace`,
    text: `${row.host}: ${plural(row.sessions, "session")}, ${plural(row.events, "event")}, ${plural(row.failures, "failure")}, ${formatRate(row)} without failure`,
    origin: "tool",
    score: 0,
    why: "counted from sessions",
    byWords: null,
    at: row.last,
    blocked: null,
  }));
}

/** Rounded, but never to 100 % if something failed. */
function formatRate({ events, failures }: { readonly events: number; readonly failures: number }): string {
  const share = events === 0 ? 100 : Math.round(((events - failures) * 100) / events);
  return failures > 0 && share === 100 ? "over 99 %" : `${share} %`;
}
