import { type AgentSession, formatActor, unnamedAgent } from "../../domain/actor.ts";
import { toName } from "../../domain/work/addressee.ts";
import { isRecord } from "../../lib/json.ts";
import { hostInEnv } from "../../observe/protocol/host-env.ts";

/**
 * The session that a tool call comes from: as reported by the hooks that this server replies to, by the call itself, or
 * by the server's environment, or by the name that the client gave when it connected. Null if nobody says.
 */
export function callingSession(
  reported: AgentSession | null,
  meta: unknown,
  env: Readonly<Record<string, string | undefined>>,
  client?: string,
): AgentSession | null {
  return reported ?? inMeta(meta) ?? hostInEnv(env) ?? hostOfClient(client ?? "");
}

/** What clients call themselves that are hosts under another name here. */
const clients: Readonly<Record<string, string>> = {
  "codex-mcp-client": "codex",
  "gemini-cli-mcp-client": "gemini",
  "qwen-code-mcp-client": "qwen",
  "cursor-vscode": "cursor",
};

/** A client may call itself anything, but not what others are here: a person, oldhand itself, or a part of it. */
function hostOfClient(client: string): AgentSession | null {
  if (client.length > LONGEST_CLIENT || !/[a-z0-9]/i.test(client)) return null;
  const name = toName(client);
  const isTaken = OWN_NAMES.includes(name) || formatActor({ kind: "agent", name }) !== name;
  return isTaken ? null : { host: clients[name] ?? name, session: null };
}

const LONGEST_CLIENT = 64;
const OWN_NAMES = ["oldhand", unnamedAgent.name];

/** Seen in calls of Codex 0.166.0 and droid 0.215.0. */
function inMeta(meta: unknown): AgentSession | null {
  if (!isRecord(meta)) return null;
  const named = (key: string, host: string): AgentSession | null => {
    const session = meta[key];
    return typeof session === "string" && /^[\w-]{1,200}$/.test(session) ? { host, session } : null;
  };
  return "x-codex-turn-metadata" in meta ? named("threadId", "codex") : named("assemblySessionId", "droid");
}
