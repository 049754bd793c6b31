import { newPlaceholders, type Placeholders } from "../../domain/model/placeholders.ts";
import type { Db } from "../../store/engine/db.ts";
import { readPlaceholderKey } from "../../store/models/placeholder-key.ts";

/** Secrets have the same placeholders in all calls of a session; without one, in all calls of the agent. */
export function placeholderScope(agent: string, session: string | null | undefined): string {
  return session == null ? `agent ${agent}` : `session ${agent} ${session}`;
}

/**
 * Keeps the placeholders of each session in memory. They survive a restart without being stored: every request contains the
 * whole chat, and the same chat with the same key gives the same placeholders.
 */
export function openSessionPlaceholders(db: Db): (session: string) => Promise<Placeholders> {
  const sessions = new Map<string, Placeholders>();
  let key: Promise<string> | null = null;
  return async (session) => {
    const known = sessions.get(session);
    sessions.delete(session);
    const placeholders = known ?? newPlaceholders({ session, key: await (key ??= readPlaceholderKey(db)) });
    // Least recently used first: a session that is used moves to the end.
    sessions.set(session, placeholders);
    for (const oldest of sessions.keys()) {
      if (sessions.size <= MOST_SESSIONS) break;
      sessions.delete(oldest);
    }
    return placeholders;
  };
}

const MOST_SESSIONS = 500;
