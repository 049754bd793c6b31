import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Context } from "../../context.ts";
import type { Event } from "../../domain/event/event.ts";
import { tokeniseQuery, tokenise } from "../../domain/text/tokenise.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { openEmbedder } from "../../models/open-embedder.ts";
import { defineOperation } from "../../operation.ts";
import { embedBeforeQuery, embedPending } from "../../search/embed-pending.ts";
import { openQueryEmbedder } from "../../search/semantic-scores.ts";
import { matchKinds } from "../../search/rank-events.ts";
import { type EventHit, searchEvents, searchDepths } from "../../search/search-events.ts";
import { joinEventText } from "../../store/events/searchable-events.ts";
import { readSessionTitles } from "../sessions/session-titles.ts";
import { limitInput, workspaceInput } from "../shared/shapes.ts";
import { rangeInput, readRange } from "../shared/time-range.ts";

const hitShape = z
  .object({
    session: z.string(),
    seq: z.number(),
    score: z.number(),
    at: z.string(),
    snippet: z.string(),
    by: z
      .enum(matchKinds)
      .describe("why it was found: it contains words of the query, is next to such words, or is near in meaning"),
    matched: z.array(z.string()).describe("the words of the query that it contains"),
    near: z.boolean().describe("nearer in meaning than texts come that have nothing to do with each other"),
  })
  .meta({ id: "SearchHit" });
type Hit = z.infer<typeof hitShape>;

const sessionHitShape = hitShape
  .extend({
    host: z.string(),
    workspace: z.string().nullable(),
    title: z.string().nullable().describe("what the session is about: its first prompt, or its first call"),
  })
  .meta({ id: "SessionHit" });

const searchInput = {
  limit: limitInput(10),
  by: z
    .enum(searchDepths)
    .default("everything")
    .describe("how to search: words only, also neighbours, or also meaning"),
  workspace: workspaceInput("only events of this folder"),
  host: z.string().optional().describe("only events of this host"),
  ...rangeInput,
};

const summary = "Searches all recorded sessions by words, by neighbouring events and by meaning.";

const searchForOthers = defineOperation({
  name: "sessions search",
  summary,
  effect: "touches",
  byWorkspace: true,
  prepare: ["events"],
  surfaces: ["http"],
  input: z.object({ query: z.string().min(1).describe("what to look for"), ...searchInput }),
  output: z.object({
    note: z.string().nullable().describe("words of the query that no hit contains; null if there are none"),
    hits: z.array(sessionHitShape),
  }),
  run: async (ctx, input) => {
    const found = await findHits(ctx, input.query, input);
    const titleOf = await readSessionTitles(
      ctx,
      found.map(({ event }) => ({ host: event.host, id: event.session })),
    );
    const hits = found.map((one) => ({
      ...hitOut(one, input.query),
      host: one.event.host,
      workspace: one.event.workspace,
      title: titleOf({ host: one.event.host, id: one.event.session }),
    }));
    return { note: makeNote(input.query, hits), hits };
  },
});

const search = defineOperation({
  name: "sessions search",
  summary,
  effect: "touches",
  byWorkspace: true,
  prepare: ["events"],
  surfaces: ["cli"],
  input: z.object({
    query: z.string().min(1).optional().describe("what to look for"),
    batch: z.string().optional().describe("a file of queries, one JSON line {id, query} each"),
    ...searchInput,
  }),
  positional: ["query"],
  freeText: true,
  output: z.union([
    z.array(hitShape),
    z.object({
      batch: z.array(z.object({ id: z.unknown(), note: z.string().nullable(), hits: z.array(hitShape) })),
    }),
  ]),
  run: async (ctx, input) => {
    const questions = input.batch === undefined ? null : readBatch(input.batch);
    if (questions === null && input.query === undefined)
      throw new OldhandError("usage", "query is missing", { hint: "oldhand sessions search --help" });
    const { batchEmbedSeconds, onceEmbedSeconds } = ctx.config.policy.search;
    if (input.by === "everything")
      await embedBeforeQuery(
        ctx,
        questions === null ? { seconds: onceEmbedSeconds, quietly: true } : { seconds: batchEmbedSeconds },
      );
    if (questions === null) return searchOnce(ctx, input.query ?? "", input);
    const batch: { id: unknown; note: string | null; hits: Hit[] }[] = [];
    for (const { id, query } of questions) {
      const hits = await searchOnce(ctx, query, input);
      batch.push({ id, note: makeNote(query, hits), hits });
    }
    return { batch };
  },
  lines: (found) => (Array.isArray(found) ? null : found.batch),
  isNegative: (found) => Array.isArray(found) && found.length === 0,
  render: (found, input) =>
    Array.isArray(found)
      ? formatHits(makeNote(input?.query ?? "", found), found)
      : found.batch.map(({ id, note, hits }) => `${String(id)}\n${formatHits(note, hits)}`).join("\n\n"),
});

const embed = defineOperation({
  name: "embed",
  summary:
    "Computes missing embeddings, so that search by meaning finds everything. Long-running processes do this automatically.",
  effect: "write",
  prepare: ["events"],
  surfaces: ["cli"],
  input: z.object({
    seconds: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(86_400)
      .default(3_600)
      .describe("stop after this time; the next run continues"),
  }),
  output: z.object({
    model: z.string().nullable(),
    embedded: z.number(),
    complete: z.boolean(),
    why: z.string().nullable().describe("why there is no embedder"),
  }),
  run: async (ctx, input) => {
    const embedder = await ctx.models.embedder();
    if (!embedder) return { model: null, embedded: 0, complete: false, why: openEmbedder(ctx.config).why };
    return { model: embedder.model, why: null, ...(await embedPending(ctx, { seconds: input.seconds })) };
  },
  isNegative: (done) => done.model === null,
  render: (done) =>
    done.model === null
      ? `No embedder: ${done.why ?? ""}. Search uses words only.`
      : `${plural(done.embedded, "text")} embedded by ${done.model}${done.complete ? "" : "; more remain"}`,
});

export type HttpSearch = typeof searchForOthers;

export const searchOperations = [search, searchForOthers, embed] as const;

async function searchOnce(ctx: Context, query: string, input: SearchInput): Promise<Hit[]> {
  return (await findHits(ctx, query, input)).map((one) => hitOut(one, query));
}

type SearchInput = z.infer<z.ZodObject<typeof searchInput>>;

async function findHits(ctx: Context, query: string, input: SearchInput): Promise<readonly EventHit[]> {
  const { limit, by, workspace, host } = input;
  return searchEvents(
    { db: ctx.db, embedder: await openQueryEmbedder(ctx) },
    { query, limit, by, scope: { workspace, host, ...readRange(input) } },
  );
}

function hitOut({ event, score, by, isNear }: EventHit, query: string): Hit {
  return {
    session: event.session,
    seq: event.seq,
    score,
    at: iso(event.at),
    snippet: makeSnippet(event, query),
    by,
    matched: by === "words" ? listMatchedWords(event, query) : [],
    near: isNear,
  };
}

/** One JSON query per line; throws an input error on any other line. */
function readBatch(path: string): { id: unknown; query: string }[] {
  const text = readPlainText(path);
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const one = tryParseJson(line);
    if (isRecord(one) && typeof one["query"] === "string") return [{ id: one["id"] ?? at, query: one["query"] }];
    throw new OldhandError("input", `line ${at + 1} of ${path} is not a query`, {
      hint: 'such as {"id": 1, "query": "…"}',
    });
  });
}

function readPlainText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new OldhandError("input", `cannot read ${path}`, { hint: "check the path", cause });
  }
}

/** For a person: `~` marks a line that contains none of the words. */
function formatHits(note: string | null, hits: readonly Hit[]): string {
  if (hits.length === 0) return "Nothing found.";
  const isMixed = hits.some((hit) => hit.by === "words") && hits.some((hit) => hit.by !== "words");
  return [
    ...(note === null ? [] : [note]),
    ...hits.map((hit) => `${hit.by === "words" ? " " : "~"} ${hit.at}  ${hit.session}#${hit.seq}  ${hit.snippet}`),
    ...(isMixed ? ["~ contains none of the words: found next to them or by meaning"] : []),
  ].join("\n");
}

/** Names the words that no hit contains, so that near hits are not mistaken for exact ones. */
function makeNote(query: string, hits: readonly Hit[]): string | null {
  if (hits.length === 0) return null;
  if (hits.every((hit) => hit.by !== "words")) {
    const isAnyNear = hits.some((hit) => hit.by === "meaning" && hit.near);
    if (hits.some((hit) => hit.by === "beside"))
      return `No hit contains these words. These are next to lines that do${isAnyNear ? ", or near in meaning" : ""}.`;
    return isAnyNear
      ? "No hit contains these words. These are near in meaning."
      : "No hit contains these words. These are the nearest, and may have nothing to do with them.";
  }
  const matchedWords = new Set(hits.flatMap((hit) => hit.matched));
  const missing = listTypedWords(query).filter((word) => !matchedWords.has(word));
  return missing.length === 0 ? null : `No hit contains: ${missing.slice(0, 5).join(", ")}.`;
}

/** The query's search words, as typed. */
function listTypedWords(query: string): readonly string[] {
  const queryWords = new Set(tokeniseQuery(query));
  const typed = query.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(typed)].filter((word) => tokenise(word).some((one) => queryWords.has(one)));
}

function listMatchedWords(event: Event, query: string): string[] {
  const eventWords = new Set(tokenise(joinEventText(event)));
  return listTypedWords(query).filter((word) => tokenise(word).some((one) => eventWords.has(one)));
}

/** The text around the first matching word. */
function makeSnippet(event: Event, query: string): string {
  const text = joinEventText(event);
  const words = new Set(tokeniseQuery(query));
  const first = [...text.slice(0, 4_000).matchAll(/[\p{L}\p{N}_]+/gu)].find(([word]) =>
    tokenise(word).some((one) => words.has(one)),
  );
  return oneLine(text.slice(Math.max(0, (first?.index ?? 0) - 60)), 200);
}
