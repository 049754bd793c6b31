import type { AgentSession } from "../../domain/actor.ts";
import { isRecord } from "../../lib/json.ts";
import { hostInEnv } from "../../observe/protocol/host-env.ts";

/**
 * Whose session a call of a tool comes from, as far as its host tells: by the hooks that this very server answers, in the
 * call itself, or in the environment in which the server was started. Null where the host tells nothing.
 */
export function callingSession(
  heard: AgentSession | null,
  meta: unknown,
  env: Readonly<Record<string, string | undefined>>,
): AgentSession | null {
  return heard ?? inMeta(meta) ?? hostInEnv(env);
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
