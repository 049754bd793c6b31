import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { resolveHome, loadConfig, thisMachine } from "../../config.ts";
import type { Context } from "../../context.ts";
import { agentOf, type AgentSession, unnamedAgent } from "../../domain/actor.ts";
import { OldhandError } from "../../lib/errors.ts";
import { type MindOptions, openContext, type OpenMind } from "../../mind.ts";
import { openModels } from "../../models/open-models.ts";
import { invokeStream } from "../../invoke.ts";
import type { Operation } from "../../operation.ts";
import { operations } from "../../operations.ts";
import { embedInBackground } from "../../search/embed-in-background.ts";
import { version } from "../../version.ts";
import { whenOrphaned } from "../../lib/parent.ts";
import { openHookListener, type HookListener } from "../hook/listen.ts";
import { workspaceOfCall } from "./workspace-of-call.ts";
import { callingSession } from "./calling-session.ts";
import { toInputSchema, type ListedTool, listToolsWithoutHook, registerHookTool } from "./hook-tool.ts";
import { JsonLineFilter } from "./json-line-filter.ts";

/**
 * Runs until the client disconnects: the server lives as long as its session. It starts even if the mind cannot be
 * opened, because the host's hooks may depend on it; the mind is opened by the first tool call.
 */
export async function serveMcp(options: MindOptions): Promise<void> {
  const models = openModels(() => loadConfig(options));
  const mind = openOnDemand(() => openContext({ ...options, models, actor: "agent" }));
  const hooks = openHookListener(resolveHome(options), models);
  const lines = new JsonLineFilter((message) => process.stdout.write(`${JSON.stringify(message)}\n`));
  const gone = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
    whenOrphaned(resolve);
  });
  const connection = serveStdio(() => newMcpServer(mind.get, resolveHome(options), hooks), {
    transport: new StdioServerTransport(process.stdin.pipe(lines), process.stdout, { maxBufferSize: 64_000_000 }),
    onerror: (error) => process.stderr.write(`oldhand mcp: ${error.message}\n`),
  });
  await gone;
  await connection.close();
  await hooks.close();
  await mind.close();
  await models.close();
  // Another process may hold the other end open.
  process.stdin.destroy();
}

/** Registers the operations for MCP as tools. They are few, because each one costs context in every session. */
function newMcpServer(mind: () => Promise<Context>, home: string, hooks: HookListener): McpServer {
  const server = new McpServer({ name: "oldhand", version }, { instructions });
  const listed: ListedTool[] = [];
  // A host keeps the server when it resumes another session; the last hook says which one it is in.
  let reported: AgentSession | null = null;
  for (const operation of operations.filter((one) => one.surfaces.includes("mcp"))) {
    const description = {
      title: operation.name,
      description: operation.summary,
      inputSchema: operation.input,
      annotations: {
        readOnlyHint: operation.effect === "read",
        destructiveHint: operation.effect === "destroys",
        idempotentHint: operation.effect === "read",
        openWorldHint: false,
      },
    };
    listed.push({ ...description, name: toToolName(operation), inputSchema: toInputSchema(operation) });
    server.registerTool(toToolName(operation), description, async (input: unknown, { mcpReq }: ServerContext) => {
      try {
        const { _meta: meta } = mcpReq;
        const caller = callingSession(reported, meta, thisMachine().env, server.server.getClientVersion()?.name);
        const actor = caller === null ? unnamedAgent : agentOf(caller);
        const ctx = { ...(await mind()), actor, within: [workspaceOfCall(input)], signal: mcpReq.signal };
        const result = await runTool(ctx, operation, input, mcpReq);
        return { content: [{ type: "text", text: JSON.stringify(result) }] };
      } catch (error) {
        // The agent can act on a refusal; a bug ends the call, not the server.
        if (!(error instanceof OldhandError)) throw error;
        return {
          isError: true,
          content: [{ type: "text", text: `oldhand: ${error.message} [${error.code}]${formatHint(error)}` }],
        };
      }
    });
  }
  registerHookTool(server, home, { hooks, onSession: (session) => void (reported = session) });
  listToolsWithoutHook(server, listed);
  return server;
}

/** Runs the operation and sends progress to clients that gave a progress token. */
async function runTool(
  ctx: Context,
  operation: Operation,
  input: unknown,
  { _meta, notify }: ServerContext["mcpReq"],
): Promise<unknown> {
  const token = _meta?.progressToken;
  const items: unknown[] = [];
  let reported = 0;
  for await (const event of invokeStream(ctx, operation, input, `the input of ${toToolName(operation)}`)) {
    if (event.kind === "result") return event.result;
    if (event.kind === "item") items.push(event.item);
    else if (token !== undefined) {
      // The protocol requires an increasing number.
      reported = Math.max(reported + 1, event.done ?? 0);
      const total = event.total === undefined ? {} : { total: event.total };
      const params = { progressToken: token, progress: reported, message: event.text, ...total };
      await notify({ method: "notifications/progress", params });
    }
  }
  return items;
}

function formatHint({ hint }: OldhandError): string {
  return hint === undefined ? "" : ` (${hint})`;
}

function toToolName(operation: Operation): string {
  return operation.mcpName ?? operation.name.replaceAll(" ", "_");
}

function openOnDemand(open: () => Promise<OpenMind>): { get(): Promise<OpenMind>; close(): Promise<void> } {
  let opening: Promise<OpenMind> | null = null;
  let embedding: { stop(): Promise<void> } | null = null;
  const get = () => {
    opening ??= opened().catch((error: unknown) => {
      // The cause may be gone at the next call.
      opening = null;
      throw error;
    });
    return opening;
  };
  const opened = async () => {
    const mind = await open();
    const say = (line: string) => void process.stderr.write(`oldhand mcp: ${line}\n`);
    embedding = embedInBackground(mind, say);
    return mind;
  };
  return {
    get,
    close: async () => {
      await embedding?.stop();
      await (await opening)?.close();
    },
  };
}

const instructions =
  "oldhand remembers what agents did in this workspace and which calls keep failing. Before you start work, call `advice` with what you are about to do: it returns the rules and memories that fit. Before a command that may have failed before, call `match`. `recall` finds what is known and what was done earlier. Save what will still be true next week with `remember`, as a statement. Record an avoidable mistake with `mistake`, and what worked with `win`.";
