import { spawn, type ChildProcess } from "node:child_process";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { thisMachine } from "../../../config.ts";
import type { Policy } from "../../../domain/policy.ts";
import { errorMessage, systemErrorCode } from "../../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";

export type McpServerSettings = Policy["chat"]["mcpServers"][string];

/** A tool as its server describes it. */
export interface McpTool {
  readonly server: string;
  readonly tool: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

export type McpAnswer =
  | { readonly kind: "answered"; readonly ok: boolean; readonly text: string }
  | { readonly kind: "failed"; readonly why: string };

export type McpListing =
  | { readonly kind: "listed"; readonly tools: readonly McpTool[] }
  | { readonly kind: "failed"; readonly server: string; readonly why: string };

/** The tools of a server. It is started or connected on first use, and stays so until `closeMcpServers`. */
export async function listMcpTools(server: string, settings: McpServerSettings): Promise<McpListing> {
  try {
    const client = await connect(server, settings);
    const { tools } = await client.listTools(undefined, { timeout: LIST_MS });
    return {
      kind: "listed",
      tools: tools.map(({ name, description = "", inputSchema }) => ({ server, tool: name, description, inputSchema })),
    };
  } catch (error) {
    return { kind: "failed", server, why: errorMessage(error) };
  }
}

export async function callMcpTool(
  settings: McpServerSettings,
  {
    server,
    tool,
    args,
    signal,
  }: {
    readonly server: string;
    readonly tool: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal;
  },
): Promise<McpAnswer> {
  try {
    const client = await connect(server, settings);
    const result = await client.callTool({ name: tool, arguments: { ...args } }, { signal, timeout: CALL_MS });
    return { kind: "answered", ok: result.isError !== true, text: textOf(result) };
  } catch (error) {
    return { kind: "failed", why: errorMessage(error) };
  }
}

/** Ends the servers that this process started. */
export async function closeMcpServers(): Promise<void> {
  const open = [...clients.values()];
  clients.clear();
  await Promise.allSettled(open.map(async (client) => (await client).close()));
}

const LIST_MS = 10_000;
const CALL_MS = 120_000;

const clients = new Map<string, Promise<Client>>();

function connect(server: string, settings: McpServerSettings): Promise<Client> {
  const key = JSON.stringify([server, settings]);
  const known = clients.get(key);
  if (known !== undefined) return known;
  const opening = open(settings, () => clients.delete(key));
  clients.set(key, opening);
  return opening.catch((error: unknown) => {
    clients.delete(key);
    throw error;
  });
}

async function open(settings: McpServerSettings, onClose: () => void): Promise<Client> {
  const client = new Client({ name: "oldhand", version: "1" });
  client.onclose = onClose;
  const transport =
    settings.command === "" ? new StreamableHTTPClientTransport(new URL(settings.url)) : startServer(settings);
  await client.connect(transport, { timeout: LIST_MS });
  return client;
}

/**
 * A server on this machine, one JSON document per line. Unlike the library's own transport, it neither keeps this process
 * alive nor passes on its environment.
 */
function startServer({ command, args, env }: McpServerSettings): Transport {
  let child: ChildProcess | null = null;
  const transport: Transport = {
    start: async () => {
      child = spawn(command, [...args], {
        env: environmentOf(env),
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      child.unref();
      unref(child.stdin);
      unref(child.stdout);
      child.stdin?.on("error", () => {});
      child.once("error", (error) =>
        transport.onerror?.(new Error(`${command} cannot be started (${systemErrorCode(error)})`)),
      );
      child.once("close", () => transport.onclose?.());
      readLines(child, (line) => {
        const message = tryParseJson(line);
        if (isRecord(message)) transport.onmessage?.(message as never);
      });
    },
    send: async (message) => void child?.stdin?.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      child?.stdin?.end();
      child?.kill();
    },
  };
  return transport;
}

/** A socket or a pipe, as far as Node says. */
function unref(stream: unknown): void {
  if (isRecord(stream) && typeof stream["unref"] === "function") (stream["unref"] as () => void)();
}

function readLines(child: ChildProcess, take: (line: string) => void): void {
  let rest = "";
  child.stdout?.setEncoding("utf8");
  child.stdout?.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = (lines.pop() ?? "").slice(-LONGEST_LINE);
    for (const line of lines) take(line);
  });
}

const LONGEST_LINE = 10_000_000;

/** What programs need to start, and what the owner names. */
function environmentOf(names: readonly string[]): Record<string, string> {
  const { env } = thisMachine();
  const wanted = ["PATH", "HOME", "USER", "LANG", "TMPDIR", "SystemRoot", "APPDATA", "USERPROFILE", ...names];
  return Object.fromEntries(wanted.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function textOf(result: { readonly content?: unknown; readonly structuredContent?: unknown }): string {
  const parts = Array.isArray(result.content) ? result.content : [];
  const texts = parts.map((part: unknown) => {
    if (!isRecord(part)) return "";
    if (typeof part["text"] === "string") return part["text"];
    const resource = isRecord(part["resource"]) ? part["resource"]["text"] : undefined;
    return typeof resource === "string" ? resource : `[${String(part["type"])}]`;
  });
  if (texts.length === 0 && result.structuredContent !== undefined) return JSON.stringify(result.structuredContent);
  return texts.join("\n");
}
