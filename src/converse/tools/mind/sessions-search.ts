import { z } from "zod";
import { findBlockReason } from "../../../domain/trust/instruction-like.ts";
import { type Quotable, quoted } from "../../../domain/trust/quote.ts";
import { iso } from "../../../lib/clock.ts";
import { cap, oneLine } from "../../../lib/text.ts";
import { type EventHit, searchEvents } from "../../../search/search-events.ts";
import { openQueryEmbedder } from "../../../search/semantic-scores.ts";
import { digest } from "../../../store/derived/digest.ts";
import { joinEventText } from "../../../store/events/searchable-events.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";

const input = z.object({ query: z.string().trim().min(1).max(1_000).describe("words to look for") });

export const sessionsSearchTool: AgentTool<typeof input> = {
  name: "sessions_search",
  description: "Searches earlier sessions of all agents in this workspace: what was asked, done and answered.",
  input,
  effect: "read",
  isCheap: true,
  describeAction: () => "sessions_search",
  summarise: ({ query }) => `search sessions for ${oneLine(query, 100)}`,
  run: runSearch,
};

async function runSearch(ctx: ToolContext, { query }: z.output<typeof input>): Promise<ToolResult> {
  const { db } = ctx.mind;
  await digest(db);
  const embedder = await openQueryEmbedder(ctx.mind);
  const scope = { workspace: ctx.workspace };
  const hits = await searchEvents({ db, embedder }, { query, limit: LIMIT, scope, related: embedder?.related });
  if (hits.length === 0) return { ok: true, text: "No session has these words." };
  return { ok: true, text: quoted(hits.map(toQuotable)), origin: "tool" };
}

const LIMIT = 8;
const LONGEST = 1_000;

function toQuotable({ event }: EventHit): Quotable {
  const origin = event.kind === "prompt" ? "owner" : event.kind === "call" ? "tool" : "agent";
  const text = cap(joinEventText(event), LONGEST);
  return {
    label: `${event.kind} in session ${event.session} of ${event.host}, ${iso(event.at)}`,
    origin,
    text,
    blocked: origin === "tool" ? findBlockReason({ trust: "tool", text }) : null,
  };
}
