import { z } from "zod";
import { agentOf } from "../../../domain/actor.ts";
import { AGENT_HOST } from "../../../domain/event/agent-session.ts";
import { messageKinds } from "../../../domain/work/message.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { oneLine } from "../../../lib/text.ts";
import { findAddressee, quoteMessage, replyToMessage, sendMessage, takeOwnMessages } from "../../../record/messages.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";

const input = z.object({
  action: z.enum(["take", "send", "reply"]).describe("take: the next one for you"),
  text: z.string().trim().min(1).max(10_000).optional(),
  to: z.string().min(1).max(130).optional().describe("such as codex or owner; default: anybody"),
  kind: z.enum(messageKinds).optional(),
  id: z.string().min(1).max(60).optional().describe("of the query"),
});

/** Always as oldhand's own agent. What it takes is data of others. */
export const messageTool: AgentTool<typeof input> = {
  name: "message",
  description: "Exchanges messages with other agents and with the owner.",
  input,
  effect: "internal",
  isCheap: true,
  // Asking again whether a message came is expected.
  isPoller: ({ action }) => action === "take",
  describeAction: ({ action }) => `message ${action}`,
  summarise: ({ action, text, to }) =>
    `message ${action}${to === undefined ? "" : ` to ${to}`}${text === undefined ? "" : `: ${oneLine(text, 100)}`}`,
  run: runMessage,
};

async function runMessage(ctx: ToolContext, given: z.output<typeof input>): Promise<ToolResult> {
  const actor = agentOf({ host: AGENT_HOST, session: ctx.session });
  const { action, text, to, kind = "instruction", id } = given;
  try {
    if (action === "take") {
      const [message] = await takeOwnMessages(ctx.mind, findAddressee(ctx.mind, actor), 1);
      return message === undefined
        ? { ok: true, text: "No message waits for you." }
        : { ok: true, text: quoteMessage(message), forPerson: message.text, origin: "tool" };
    }
    if (text === undefined) return { ok: false, text: "text is missing" };
    if (action === "send") return sent(await sendMessage(ctx.mind, actor, { kind, to, text }));
    return id === undefined
      ? { ok: false, text: "id is missing: which query?" }
      : sent(await replyToMessage(ctx.mind, actor, { id, text }));
  } catch (error) {
    // A wrong name, or a query that somebody else took.
    if (!(error instanceof OldhandError) || error.code.startsWith("store-")) throw error;
    return { ok: false, text: error.message };
  }
}

function sent({ id }: { readonly id: string }): ToolResult {
  return { ok: true, text: `Sent as ${id}.` };
}
