import { z } from "zod";
import { oneLine } from "../../../lib/text.ts";
import type { AgentTool } from "../tool.ts";

const input = z.object({ task: z.string().trim().min(1).max(20_000).describe("all it needs to know") });

export const subAgentTool: AgentTool<typeof input> = {
  name: "sub_agent",
  description:
    "Gives a task to an agent with a context of its own, and returns its last message. For wide searches and separate work.",
  input,
  effect: "internal",
  isCheap: false,
  describeAction: () => "sub_agent",
  summarise: ({ task }) => `sub-agent: ${oneLine(task, 100)}`,
  run: (ctx, { task }) => ctx.runSubAgent(task),
};
