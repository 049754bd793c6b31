import { DAY } from "../../lib/clock.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { listValues, putValue } from "../state/kv.ts";
import { makeTombstoneHash } from "./purged.ts";

/** For sessions known only from imports: the last imported event. No agent is at work in them, however new they are. */
export type ImportedSessions = ReadonlyMap<string, { readonly count: number; readonly upTo: number }>;

interface HostSession {
  readonly host: string;
  readonly session: string;
}

const SPACE = "imported sessions";
const SPACE_BYTES = 50_000_000;

export async function readImportedSessions(db: Db, now: number): Promise<ImportedSessions> {
  const notes = (await listValues(db, SPACE, now)).flatMap(({ key, value }) => {
    const note = tryParseJson(value);
    return isRecord(note) && typeof note["count"] === "number" && typeof note["upTo"] === "number"
      ? [[key, { count: note["count"], upTo: note["upTo"] }] as const]
      : [];
  });
  return new Map(notes);
}

/** True if the event's session is known only from imports. */
export function isOnlyImported(imported: ImportedSessions, event: HostSession & { readonly id: number }): boolean {
  return event.id <= (imported.get(makeTombstoneHash(event))?.upTo ?? -1);
}

/** How many events of a session earlier imports stored; 0 if there was no recent import. */
export async function countImportedEvents(db: Db, session: HostSession, now: number): Promise<number> {
  return (await readImportedSessions(db, now)).get(makeTombstoneHash(session))?.count ?? 0;
}

/** Records how many events of a session were imported. If it has others, a hook reported them: nothing is recorded. */
export async function noteImportedEvents(db: Db, session: HostSession, count: number, now: number): Promise<void> {
  const there = await db.get<{ count: number; up_to: number }>(
    "select count(*) as count, max(id) as up_to from events where session = ? and host = ?",
    [session.session, session.host],
  );
  if (there?.count !== count) return;
  const value = JSON.stringify({ count, upTo: there.up_to });
  await putValue(db, { space: SPACE, key: makeTombstoneHash(session), value, now, ttlMs: DAY, maxBytes: SPACE_BYTES });
}
