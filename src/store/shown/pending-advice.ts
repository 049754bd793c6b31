import { HOUR } from "../../lib/clock.ts";
import type { Db } from "../engine/db.ts";
import { listValues, putValue, removeValue } from "../state/kv.ts";

interface HostSession {
  readonly host: string;
  readonly session: string;
}

/** Advice that the host could not take at its moment: the latest of each moment is kept until it can. */
export function storePendingAdvice(
  db: Db,
  to: HostSession,
  what: { readonly key: string; readonly value: string; readonly now: number },
): Promise<void> {
  return putValue(db, { space: adviceSpace(to), ...what, ttlMs: HOUR, maxBytes: MOST_BYTES });
}

/** Removes and returns it, oldest first: the caller must deliver it. */
export async function popPendingAdvice(db: Db, to: HostSession, now: number): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const { key, value } of await listValues(db, adviceSpace(to), now))
    if (await removeValue(db, adviceSpace(to), key)) taken.push(value);
  return taken;
}

/** Advice about a forgotten subject is not delivered. */
export async function dropPendingAdviceAbout(db: Db, subject: string): Promise<void> {
  await db.run("delete from kv where space like 'advice %' and value like ?", [`%${JSON.stringify(subject)}%`]);
}

const MOST_BYTES = 200_000;

function adviceSpace({ host, session }: HostSession): string {
  return `advice ${host} ${session}`;
}
