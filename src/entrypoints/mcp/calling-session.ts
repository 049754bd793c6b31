import type { AgentSession } from "../../domain/actor.ts";
import { isRecord } from "../../lib/json.ts";
import { hostInEnv } from "../../observe/protocol/host-env.ts";

/**
 * The session that a tool call comes from: as reported by the hooks that this server replies to, by the call itself, or
 * by the server's environment. Null if the host does not say.
 */
export function callingSession(
  reported: AgentSession | null,
  meta: unknown,
  env: Readonly<Record<string, string | undefined>>,
): AgentSession | null {
  return reported ?? inMeta(meta) ?? hostInEnv(env);
}

/** Seen in calls of Codex 0.166.0 and droid 0.215.0. */
function inMeta(meta: unknown): AgentSession | null {
  if (!isRecord(meta)) return null;
  const named = (key: string, host: string): AgentSession | null => {
    const session = meta[key];
    return typeof session === "string" && /^[\w-]{1,200}$/.test(session) ? { host, session } : null;
  };
  return "x-codex-turn-metadata" in meta ? named("threadId", "codex") : named("assemblySessionId", "droid");
}
