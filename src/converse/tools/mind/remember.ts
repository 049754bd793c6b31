import { z } from "zod";
import { agentOf } from "../../../domain/actor.ts";
import { AGENT_HOST } from "../../../domain/event/agent-session.ts";
import { redact } from "../../../domain/redact/redact.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { oneLine } from "../../../lib/text.ts";
import { makeProvenance } from "../../../store/journal/journal.ts";
import { remember } from "../../../store/journal/remember.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";

const input = z.object({
  text: z.string().trim().min(1).max(2_000).describe("one statement"),
  key: z.string().trim().min(1).max(200).optional().describe("its name; the same key replaces the text"),
});

/** Always of the agent and of its workspace: what holds everywhere, and what is said of the owner, the owner decides. */
export const rememberTool: AgentTool<typeof input> = {
  name: "remember",
  description: "Saves a memory of this workspace for later sessions: what you learned and would need again.",
  input,
  effect: "internal",
  isCheap: true,
  describeAction: () => "remember",
  summarise: ({ text }) => `remember ${oneLine(text, 100)}`,
  run: runRemember,
};

async function runRemember(ctx: ToolContext, { text, key }: z.output<typeof input>): Promise<ToolResult> {
  const { db, clock, config } = ctx.mind;
  const actor = agentOf({ host: AGENT_HOST, session: ctx.session });
  const scope = { kind: "workspace", name: ctx.project ?? ctx.workspace } as const;
  try {
    const made = await remember(
      db,
      { text: redact(text), key, scope, origin: "agent" },
      { ...makeProvenance({ actor, clock }, "remember"), policy: config.policy.memory },
    );
    return {
      ok: true,
      text: made.kind === "known" ? `Known already: ${made.memory.text}` : `Saved as ${made.memory.id}.`,
    };
  } catch (error) {
    // A memory of the owner cannot be replaced.
    if (!(error instanceof OldhandError) || error.code.startsWith("store-")) throw error;
    return { ok: false, text: error.message };
  }
}
