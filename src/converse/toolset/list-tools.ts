import type { Context } from "../../context.ts";
import type { ChatMode } from "../../domain/settings/chat-mode.ts";
import type * as mcpTools from "../tools/mcp/mcp-tools.ts";
import { editTool } from "../tools/files/edit.ts";
import { grepTool } from "../tools/files/grep.ts";
import { listTool } from "../tools/files/list.ts";
import { readTool } from "../tools/files/read.ts";
import { writeTool } from "../tools/files/write.ts";
import { messageTool } from "../tools/mind/message.ts";
import { recallTool } from "../tools/mind/recall.ts";
import { rememberTool } from "../tools/mind/remember.ts";
import { sessionsSearchTool } from "../tools/mind/sessions-search.ts";
import { subAgentTool } from "../tools/mind/sub-agent.ts";
import { shellTool } from "../tools/shell/shell.ts";
import type { AgentTool } from "../tools/tool.ts";

/**
 * The tools of a session of oldhand's own agent, sorted by name. The set depends on settings alone, so that the prompt
 * stays the same; the mode decides about each call, and may change within a session.
 */
export async function listAgentTools(
  ctx: Pick<Context, "config">,
  _of: { readonly workspace: string; readonly mode: ChatMode },
): Promise<readonly AgentTool[]> {
  const { chat, webSearch, mail } = ctx.config.policy;
  const [{ webFetchTool }, { httpRequestTool }, { makeWebSearchTool }, { makeMailTool }] = await Promise.all([
    import("../tools/web/web-fetch.ts"),
    import("../tools/web/http-request.ts"),
    import("../tools/web/web-search.ts"),
    import("../tools/web/mail.ts"),
  ]);
  const external = [webFetchTool, httpRequestTool, makeWebSearchTool(webSearch), makeMailTool(mail)];
  if (Object.keys(chat.mcpServers).length > 0) mcpModule ??= import("../tools/mcp/mcp-tools.ts");
  const mcp = (await (await mcpModule)?.listMcpAgentTools(chat.mcpServers)) ?? [];
  const all = [...own, ...external.filter((tool) => tool !== null), ...mcp] as readonly AgentTool[];
  return [...new Map(all.map((tool) => [tool.name, tool])).values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Ends what the tools of this process keep open: the MCP servers. To be called when the last session is closed. */
export async function closeAgentTools(): Promise<void> {
  await (await mcpModule)?.endMcpServers();
}

/** Loaded only if the owner has an MCP server. */
let mcpModule: Promise<typeof mcpTools> | undefined;

const own: readonly AgentTool[] = [
  editTool,
  grepTool,
  listTool,
  messageTool,
  readTool,
  recallTool,
  rememberTool,
  sessionsSearchTool,
  shellTool,
  subAgentTool,
  writeTool,
];
