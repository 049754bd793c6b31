import { newPlaceholders, type Placeholders } from "../../domain/model/placeholders.ts";
import type { Db } from "../../store/engine/db.ts";
import { readPlaceholderKey } from "../../store/models/placeholder-key.ts";

/**
 * The placeholders of each session, in the memory of this process. Every request has the whole chat, so after a restart the
 * same placeholders come out of the same chat and the same key.
 */
export function openSessionPlaceholders(db: Db): (session: string) => Promise<Placeholders> {
  const sessions = new Map<string, Placeholders>();
  let key: Promise<string> | null = null;
  return async (session) => {
    const known = sessions.get(session);
    sessions.delete(session);
    const placeholders = known ?? newPlaceholders({ session, key: await (key ??= readPlaceholderKey(db)) });
    // The last used is at the end; the first is the one that was not used for the longest time.
    sessions.set(session, placeholders);
    for (const oldest of sessions.keys()) {
      if (sessions.size <= MOST_SESSIONS) break;
      sessions.delete(oldest);
    }
    return placeholders;
  };
}

const MOST_SESSIONS = 500;
