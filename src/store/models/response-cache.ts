import type { Db } from "../engine/db.ts";

/** A text that was stored under this key and is not past its time. */
export async function findResponse(db: Db, key: string, now: number): Promise<string | null> {
  const row = await db.get<{ value: string }>("select value from response_cache where key = ? and until > ?", [
    key,
    now,
  ]);
  return row?.value ?? null;
}

/** Removes what is past its time. */
export async function storeResponse(
  db: Db,
  one: { readonly key: string; readonly value: string; readonly now: number; readonly ttlMs: number },
): Promise<void> {
  await db.run("delete from response_cache where until <= ?", [one.now]);
  await db.run(
    `insert into response_cache (key, value, at, until) values (?, ?, ?, ?)
     on conflict (key) do update set value = excluded.value, at = excluded.at, until = excluded.until`,
    [one.key, one.value, one.now, one.now + one.ttlMs],
  );
}
