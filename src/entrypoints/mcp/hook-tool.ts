import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { AgentSession } from "../../domain/actor.ts";
import { isRecord, stringOr } from "../../lib/json.ts";
import type { Operation } from "../../operation.ts";
import { CLIENT_VERSION } from "../../observe/hosts/claude-code/protocol.ts";
import { readHookKey } from "../../observe/hosts/claude-code/hook-key.ts";
import type { HookListener } from "../hook/listen.ts";

/**
 * The tool that the plugin's hooks call. A model could use it to invent events, so it is not listed, and the caller
 * must send the key from the plugin's hooks. A refused call stores nothing.
 */
export function registerHookTool(
  server: McpServer,
  home: string,
  { hooks, onSession }: { readonly hooks: HookListener; onSession(session: AgentSession): void },
): void {
  // Kept as the host read it at session start: an install during the session must not lock its hooks out.
  let known = readHookKey(home);
  server.registerTool(
    NAME,
    { description: "For the host's hooks, not for you.", inputSchema: z.looseObject({ host: z.string() }) },
    async ({ key, ...payload }, { mcpReq }: ServerContext) => {
      if (known.kind === "no hooks") known = readHookKey(home);
      if (known.kind === "no hooks" || (known.kind === "key" && key !== known.key)) return REFUSED;
      onSession({ host: String(payload["host"]), session: String(payload["session_id"] ?? "") || null });
      // Claude Code shows an empty reply to the model as a line, but ignores an empty object.
      const whole = { ...payload, [CLIENT_VERSION]: readClientVersion(server, mcpReq.envelope) };
      return toToolResult((await hooks.reply(String(payload["host"]), whole)) || SILENCE);
    },
  );
}

/** Newer clients name themselves with each request, older ones once, when they connect. */
function readClientVersion(server: McpServer, envelope: unknown): string | undefined {
  const named = isRecord(envelope) ? envelope["io.modelcontextprotocol/clientInfo"] : undefined;
  return (isRecord(named) ? stringOr(named["version"], null) : null) ?? server.server.getClientVersion()?.version;
}

/** Lists the tools without it, except for clients that may only call listed tools. */
export function listToolsWithoutHook(server: McpServer, tools: readonly ListedTool[]): void {
  server.server.setRequestHandler("tools/list", () => {
    const hook = {
      name: NAME,
      description: "For the host's hooks, not for you.",
      inputSchema: { type: "object" as const },
    };
    return { tools: [...tools, ...(callsOnlyListed(server.server.getClientVersion()) ? [hook] : [])] };
  });
}

export interface ListedTool {
  readonly [name: string]: unknown;
  readonly name: string;
  readonly inputSchema: { readonly [name: string]: unknown; readonly type: "object" };
}

export function toInputSchema(operation: Operation): ListedTool["inputSchema"] {
  const schema = z.toJSONSchema(operation.input, { io: "input" });
  const required = [...(schema.required ?? []), ...operation.agentsGive, ...operation.agentsExpect];
  return { ...schema, ...(required.length === 0 ? {} : { required }), type: "object" };
}

const NAME = "hook";
const SILENCE = "{}";

/** 2.1.325 calls it although it is not listed; earlier versions are assumed not to. */
function callsOnlyListed(client: { readonly name: string; readonly version: string } | undefined): boolean {
  if (client?.name !== "claude-code") return false;
  const [major = 0, minor = 0, patch = 0] = client.version.split(".").map(Number);
  return (major - 2 || minor - 1 || patch - 325) < 0;
}

function toToolResult(text: string) {
  return { content: [{ type: "text" as const, text }] };
}

/** Silent for the host, whose hooks may be from another install; `_meta` says why to a person who looks. */
const REFUSED = { ...toToolResult(SILENCE), _meta: { "oldhand/refused": "the key of the plugin's hooks is missing" } };
