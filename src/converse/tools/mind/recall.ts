import { z } from "zod";
import { oneLine } from "../../../lib/text.ts";
import { noteMissingWords, quotePieces, recall } from "../../../recall/memory/recall.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";

const input = z.object({ query: z.string().trim().min(1).max(1_000).describe("what to look for") });

export const recallTool: AgentTool<typeof input> = {
  name: "recall",
  description: "Finds memories of this workspace and of everywhere.",
  input,
  effect: "read",
  isCheap: true,
  describeAction: () => "recall",
  summarise: ({ query }) => `recall ${oneLine(query, 100)}`,
  run: runRecall,
};

async function runRecall(ctx: ToolContext, { query }: z.output<typeof input>): Promise<ToolResult> {
  const pieces = await recall(ctx.mind, {
    ...{ query, viewer: { workspace: ctx.project ?? ctx.workspace }, session: ctx.session, tiers: ["semantic"] },
    ...{ limit: LIMIT, now: ctx.mind.clock.now() },
  });
  if (pieces.length === 0) return { ok: true, text: "No memory fits." };
  const note = noteMissingWords(pieces);
  return { ok: true, text: [...(note === null ? [] : [note]), quotePieces(pieces)].join("\n"), origin: "tool" };
}

const LIMIT = 8;
