import { z } from "zod";
import type { Policy } from "../../../domain/policy.ts";
import { asToolName } from "../../../domain/text/tool-name.ts";
import { findBlockReason } from "../../../domain/trust/instruction-like.ts";
import { cap, oneLine } from "../../../lib/text.ts";
import type { AgentTool, ToolContext, ToolResult } from "../tool.ts";
import { callMcpTool, closeMcpServers, listMcpTools, type McpServerSettings, type McpTool } from "./mcp-server.ts";

type Servers = Policy["chat"]["mcpServers"];

/**
 * The tools of the owner's MCP servers. Few are offered each by its name; of many, only a tool that finds them and one
 * that calls them, so that they do not fill the prompt. A server that does not answer has no tools.
 */
export async function listMcpAgentTools(servers: Servers): Promise<readonly AgentTool[]> {
  const names = Object.keys(servers).toSorted();
  const listings = await Promise.all(names.map((name) => listMcpTools(name, servers[name]!)));
  const tools = listings.flatMap((listing) => (listing.kind === "listed" ? listing.tools : []));
  const named = tools.filter((tool) => nameOf(tool) !== null);
  if (named.length === 0) return [];
  if (named.length <= MOST_NAMED) return named.map((tool) => toAgentTool(tool, servers[tool.server]!));
  return [searchTool(named), callTool(named, servers)];
}

export function endMcpServers(): Promise<void> {
  return closeMcpServers();
}

const MOST_NAMED = 20;

/** As other hosts name them. Null for a name that is a sentence. */
function nameOf({ server, tool }: McpTool): string | null {
  const plain = (text: string) => text.replaceAll(/[^\w-]/g, "_");
  const name = `mcp__${plain(server)}__${plain(tool)}`;
  return name.length <= 64 && asToolName(tool) !== null ? name : null;
}

function toAgentTool(tool: McpTool, settings: McpServerSettings): AgentTool {
  const name = nameOf(tool) ?? "";
  return {
    name,
    description: describe(tool),
    input: toInput(tool.inputSchema),
    effect: settings.read ? "read" : "external",
    isCheap: false,
    describeAction: () => name,
    summarise: (given) => `${name} ${oneLine(JSON.stringify(given), 100)}`,
    examine: async () => ({ place: "inside", target: `the MCP server ${tool.server}` }),
    preview: async (_ctx, given) => JSON.stringify(given, null, 2),
    run: (ctx, given) => call(ctx, tool, settings, given),
  };
}

/** Its author wrote it, not the owner: short, and without text that gives orders. */
function describe({ description }: McpTool): string {
  const text = oneLine(description, 300);
  return findBlockReason({ trust: "external", text: description }) === null
    ? text
    : "(its description reads like an instruction and is withheld)";
}

/** What cannot be read as a schema is checked by the server. */
function toInput(schema: unknown): z.ZodObject {
  try {
    const made = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    return made instanceof z.ZodObject ? made : anyInput;
  } catch {
    return anyInput;
  }
}

const anyInput = z.looseObject({});

function searchTool(tools: readonly McpTool[]): AgentTool {
  const input = z.object({ query: z.string().min(1).max(500) });
  const tool: AgentTool<typeof input> = {
    name: "mcp_search",
    description: `Finds tools of MCP servers (${tools.length} tools of ${[...new Set(tools.map(({ server }) => server))].join(", ")}), with their inputs. Call them with mcp_call.`,
    input,
    effect: "read",
    isCheap: true,
    describeAction: () => "mcp_search",
    summarise: ({ query }) => `find tools for ${oneLine(query, 100)}`,
    run: async (_ctx, { query }) => ({ ok: true, text: findTools(tools, query), origin: "external" }),
  };
  return tool;
}

function findTools(tools: readonly McpTool[], query: string): string {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const scored = tools
    .map((tool) => {
      const [name, text] = [`${tool.server} ${tool.tool}`.toLowerCase(), tool.description.toLowerCase()];
      return {
        tool,
        score: words.reduce((sum, word) => sum + (name.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0), 0),
      };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 8);
  if (scored.length === 0) return `No tool fits. There are: ${tools.map(nameOf).slice(0, 100).join(", ")}`;
  return scored
    .map(({ tool }) => `${nameOf(tool)}: ${describe(tool)}\ninput: ${cap(JSON.stringify(tool.inputSchema), 2_000)}`)
    .join("\n\n");
}

function callTool(tools: readonly McpTool[], servers: Servers): AgentTool {
  const byName = new Map(tools.map((tool) => [nameOf(tool), tool]));
  const input = z.object({
    tool: z.string().describe("as mcp_search names it"),
    arguments: z.looseObject({}).optional(),
  });
  const tool: AgentTool<typeof input> = {
    name: "mcp_call",
    description: "Calls a tool that mcp_search found.",
    input,
    effect: "external",
    isCheap: false,
    describeAction: (given) => given.tool,
    summarise: (given) => `${given.tool} ${oneLine(JSON.stringify(given.arguments ?? {}), 100)}`,
    examine: async (_ctx, given) => {
      const found = byName.get(given.tool);
      const isRead = found === undefined || servers[found.server]?.read === true;
      return {
        place: "inside",
        target: `the MCP server ${found?.server ?? "of no name"}`,
        effect: isRead ? "read" : "external",
      };
    },
    preview: async (_ctx, given) => JSON.stringify(given, null, 2),
    run: async (ctx, given) => {
      const found = byName.get(given.tool);
      if (found === undefined) {
        const missing = `There is no tool ${oneLine(given.tool, 80)}.`;
        return { ok: false, text: `${missing} Use mcp_search.`, forPerson: missing };
      }
      return call(ctx, found, servers[found.server]!, given.arguments ?? {});
    },
  };
  return tool;
}

async function call(
  ctx: ToolContext,
  { server, tool }: McpTool,
  settings: McpServerSettings,
  args: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const answer = await callMcpTool(settings, { server, tool, args, signal: ctx.signal });
  if (answer.kind === "failed") return { ok: false, text: cap(answer.why, 2_000), origin: "external" };
  return { ok: answer.ok, text: cap(answer.text, MOST_CHARACTERS), origin: "external" };
}

const MOST_CHARACTERS = 50_000;
