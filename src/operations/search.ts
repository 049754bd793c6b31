import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Context } from "../context.ts";
import type { Event } from "../domain/event/event.ts";
import { askedWords, wordsOf } from "../domain/text/words.ts";
import { iso } from "../lib/clock.ts";
import { OldhandError } from "../lib/errors.ts";
import { isRecord, tryParse } from "../lib/json.ts";
import { oneLine, plural } from "../lib/text.ts";
import { openEmbedder } from "../models/open-embedder.ts";
import { operation } from "../operation.ts";
import { embedBeforeQuestion, embedPending } from "../search/embed-pending.ts";
import { questionEmbedder } from "../search/meaning.ts";
import { searchEvents, ways } from "../search/search-events.ts";
import { textOfEvent } from "../store/event-places.ts";
import { limit, workspaceInput } from "./shapes.ts";

const hitShape = z
  .object({
    session: z.string(),
    seq: z.number(),
    score: z.number(),
    at: z.string(),
    snippet: z.string(),
    matched: z
      .array(z.string())
      .describe("the words of the query that it contains; empty where it was found beside such words or by meaning"),
  })
  .meta({ id: "SearchHit" });
type Hit = z.infer<typeof hitShape>;

const asked = {
  limit: limit(10),
  by: z
    .enum(ways)
    .default("everything")
    .describe("how far to go: the words alone, their neighbours too, or meaning too"),
  workspace: workspaceInput("only in this folder"),
  host: z.string().optional().describe("only of this host"),
};

const summary = "Search over everything recorded: by words, by what was said beside them, and by meaning.";

const searchForOthers = operation({
  name: "sessions search",
  summary,
  effect: "touches",
  prepare: ["events"],
  surfaces: ["http"],
  input: z.object({ query: z.string().min(1).describe("what to look for"), ...asked }),
  output: z.array(hitShape),
  run: async (ctx, input) => {
    return searchOnce(ctx, input.query, input);
  },
});

const search = operation({
  name: "sessions search",
  summary,
  effect: "touches",
  prepare: ["events"],
  surfaces: ["cli"],
  input: z.object({
    query: z.string().min(1).optional().describe("what to look for"),
    batch: z.string().optional().describe("a file with a line {id, query} for each question"),
    ...asked,
  }),
  positional: ["query"],
  freeText: true,
  output: z.union([
    z.array(hitShape),
    z.object({ batch: z.array(z.object({ id: z.unknown(), hits: z.array(hitShape) })) }),
  ]),
  run: async (ctx, input) => {
    const questions = input.batch === undefined ? null : readBatch(input.batch);
    if (questions === null && input.query === undefined)
      throw new OldhandError("usage", "query is missing", { hint: "oldhand sessions search --help" });
    const { batchEmbedSeconds, onceEmbedSeconds } = ctx.config.policy.search;
    if (input.by === "everything")
      await embedBeforeQuestion(
        ctx,
        questions === null ? { seconds: onceEmbedSeconds, quietly: true } : { seconds: batchEmbedSeconds },
      );
    if (questions === null) return searchOnce(ctx, input.query ?? "", input);
    const batch: { id: unknown; hits: Hit[] }[] = [];
    for (const { id, query } of questions) batch.push({ id, hits: await searchOnce(ctx, query, input) });
    return { batch };
  },
  lines: (found) => (Array.isArray(found) ? null : found.batch),
  isNegative: (found) => Array.isArray(found) && found.length === 0,
  render: (found) =>
    Array.isArray(found)
      ? hitLines(found)
      : found.batch.map(({ id, hits }) => `${String(id)}\n${hitLines(hits)}`).join("\n\n"),
});

const embed = operation({
  name: "embed",
  summary:
    "Computes the vectors that are missing, so that everything is found by meaning. Long-running processes do this by themselves.",
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
      .describe("stop after so long; the next goes on"),
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
      ? `No embedder: ${done.why ?? ""}. Search goes by words.`
      : `${plural(done.embedded, "text")} embedded by ${done.model}${done.complete ? "" : "; there are more"}`,
});

export type HttpSearch = typeof searchForOthers;

export const searchOperations = [search, searchForOthers, embed] as const;

async function searchOnce(ctx: Context, query: string, input: z.infer<z.ZodObject<typeof asked>>): Promise<Hit[]> {
  const { limit, by, workspace, host } = input;
  const hits = await searchEvents(
    { db: ctx.db, embedder: await questionEmbedder(ctx) },
    { query, limit, by, scope: { workspace, host } },
  );
  return hits.map(({ event, score }) => ({
    session: event.session,
    seq: event.seq,
    score,
    at: iso(event.at),
    snippet: snippetOf(event, query),
    matched: matchedBy(event, query),
  }));
}

/** Plain lines, as they are asked for; one that is none is the asker's mistake. */
function readBatch(path: string): { id: unknown; query: string }[] {
  const text = readText(path);
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const one = tryParse(line);
    if (isRecord(one) && typeof one["query"] === "string") return [{ id: one["id"] ?? at, query: one["query"] }];
    throw new OldhandError("input", `line ${at + 1} of ${path} is no question`, {
      hint: 'such as {"id": 1, "query": "…"}',
    });
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new OldhandError("input", `cannot read ${path}`, { hint: "check the path", cause });
  }
}

function hitLines(hits: readonly Hit[]): string {
  if (hits.length === 0) return "Nothing found.";
  const isContext = (hit: Hit) => hit.matched.length === 0;
  const line = (hit: Hit) => `${isContext(hit) ? "~" : " "} ${hit.at}  ${hit.session}#${hit.seq}  ${hit.snippet}`;
  const legend = hits.every(isContext)
    ? ["No result contains these words. ~ Found beside them or by meaning:"]
    : hits.some(isContext)
      ? ["~ Contains none of the words: found beside them or by meaning."]
      : [];
  return hits.every(isContext) ? [...legend, ...hits.map(line)].join("\n") : [...hits.map(line), ...legend].join("\n");
}

/** Which of the words asked for stand in it, as they were typed. */
function matchedBy(event: Event, query: string): string[] {
  const held = new Set(wordsOf(textOfEvent(event)));
  const typed = query.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(typed.filter((word) => askedWords(word).some((one) => held.has(one))))];
}

/** The words around the first that was asked for. */
function snippetOf(event: Event, query: string): string {
  const text = textOfEvent(event);
  const words = new Set(askedWords(query));
  const first = [...text.slice(0, 4_000).matchAll(/[\p{L}\p{N}_]+/gu)].find(([word]) =>
    wordsOf(word).some((one) => words.has(one)),
  );
  return oneLine(text.slice(Math.max(0, (first?.index ?? 0) - 60)), 200);
}
