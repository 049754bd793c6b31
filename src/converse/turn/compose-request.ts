import { z } from "zod";
import { parseModelRef } from "../../domain/model/model-ref.ts";
import type { ChatTool } from "../../models/chat/chat.ts";
import type { GatewayRequest } from "../../models/gateway/gateway.ts";
import type { AgentTool } from "../tools/tool.ts";
import { activeMessages, currentSystem } from "./active-entries.ts";
import type { Entry } from "./entry.ts";

/** The next request of a session. Equal entries and tools give equal bytes. */
export function composeRequest(of: {
  readonly session: string;
  readonly isSubAgent: boolean;
  readonly entries: readonly Entry[];
  readonly tools: readonly AgentTool[];
  readonly model: string | null;
  readonly mayUseOthers: boolean;
  readonly maxTokens: number;
  /** No more tools: they stay in the request, so that its beginning is the same. */
  readonly isLast: boolean;
  readonly signal: AbortSignal;
}): GatewayRequest {
  const model = of.model === null ? null : parseModelRef(of.model);
  return {
    agent: "oldhand",
    session: of.session,
    taskType: of.isSubAgent ? "subagent" : "chat",
    ...(model === null ? {} : { model, mayUseOthers: of.mayUseOthers }),
    chat: {
      system: currentSystem(of.entries)?.text ?? "",
      messages: activeMessages(of.entries),
      ...(of.tools.length === 0 ? {} : { tools: of.tools.map(toChatTool) }),
      ...(of.tools.length > 0 && of.isLast ? { toolChoice: "none" } : {}),
      maxTokens: of.maxTokens,
      promptCache: true,
    },
    useResponseCache: false,
    mayRestart: true,
    acceptsBadToolCalls: true,
    signal: of.signal,
  };
}

/** Made once for each tool: every request of a session has all of them. */
export function toChatTool(tool: AgentTool): ChatTool {
  const known = made.get(tool);
  if (known !== undefined) return known;
  const { name, description, input } = tool;
  const { $schema: _, ...schema } = z.toJSONSchema(input);
  const fresh = { name, description, input: schema };
  made.set(tool, fresh);
  return fresh;
}

const made = new WeakMap<AgentTool, ChatTool>();
