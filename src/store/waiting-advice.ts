import { HOUR } from "../lib/clock.ts";
import type { Db } from "./engine/db.ts";
import { listValues, putValue, removeValue } from "./kv.ts";

interface Whose {
  readonly host: string;
  readonly session: string;
}

/** What was due when the host did not hear: the latest of each moment, until it does. */
export function keepAdvice(
  db: Db,
  to: Whose,
  what: { readonly key: string; readonly value: string; readonly now: number },
): Promise<void> {
  return putValue(db, { space: spaceOf(to), ...what, ttlMs: HOUR, maxBytes: MOST_BYTES });
}

/** Once, oldest first: what is taken is said. */
export async function takeAdvice(db: Db, to: Whose, now: number): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const { key, value } of await listValues(db, spaceOf(to), now))
    if (await removeValue(db, spaceOf(to), key)) taken.push(value);
  return taken;
}

/** What was to be said of something that is forgotten is not said any more. */
export async function dropAdviceAbout(db: Db, subject: string): Promise<void> {
  await db.run("delete from kv where space like 'advice %' and value like ?", [`%${JSON.stringify(subject)}%`]);
}

const MOST_BYTES = 200_000;

function spaceOf({ host, session }: Whose): string {
  return `advice ${host} ${session}`;
}
