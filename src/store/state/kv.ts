import { redact } from "../../domain/redact/redact.ts";
import { OldhandError } from "../../lib/errors.ts";
import { storable } from "../../lib/text.ts";
import type { Db } from "../engine/db.ts";

export interface KvEntry {
  readonly key: string;
  readonly value: string;
  readonly until: number;
}

/** Short-lived values of one space (such as a session). Expired ones are never read, and writers delete them. */
export function putValue(
  db: Db,
  entry: {
    readonly space: string;
    readonly key: string;
    readonly value: string;
    readonly now: number;
    readonly ttlMs: number;
    readonly maxBytes: number;
  },
): Promise<void> {
  const value = storable(redact(entry.value));
  const bytes = Buffer.byteLength(value) + Buffer.byteLength(entry.key);
  return db.tx(async (tx) => {
    // Locked, or two concurrent writers could together exceed the limit.
    if (tx.dialect.lockKvTable !== null) await tx.run(tx.dialect.lockKvTable);
    await tx.run("delete from kv where until <= ?", [entry.now]);
    await tx.run(
      `insert into kv (space, key, value, bytes, until, written_at) values (?, ?, ?, ?, ?, ?)
       on conflict (space, key) do update set value = excluded.value, bytes = excluded.bytes, until = excluded.until, written_at = excluded.written_at`,
      [entry.space, entry.key, value, bytes, entry.now + entry.ttlMs, entry.now],
    );
    const total = await tx.get<{ bytes: number }>(
      "select cast(sum(bytes) as bigint) as bytes from kv where space = ?",
      [entry.space],
    );
    if ((total?.bytes ?? 0) > entry.maxBytes) {
      throw new OldhandError(
        "refused",
        `the space ${entry.space} would hold ${total?.bytes} bytes, over its limit of ${entry.maxBytes}; nothing was written`,
        {
          hint: "remove what is no longer needed, or wait until it expires",
        },
      );
    }
  });
}

export async function getValue(db: Db, space: string, key: string, now: number): Promise<string | null> {
  const row = await db.get<{ value: string }>("select value from kv where space = ? and key = ? and until > ?", [
    space,
    key,
    now,
  ]);
  return row?.value ?? null;
}

export function listValues(db: Db, space: string, now: number): Promise<KvEntry[]> {
  return db.all<KvEntry>("select key, value, until from kv where space = ? and until > ? order by written_at, key", [
    space,
    now,
  ]);
}

export async function removeValue(db: Db, space: string, key: string): Promise<boolean> {
  return (await db.run("delete from kv where space = ? and key = ?", [space, key])) === 1;
}
