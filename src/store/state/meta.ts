import type { Db } from "../engine/db.ts";

export async function readMeta(db: Db, key: string): Promise<string | null> {
  const row = await db.get<{ value: string }>("select value from meta where key = ?", [key]);
  return row?.value ?? null;
}

export async function writeMeta(db: Db, key: string, value: string): Promise<void> {
  await db.run("insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value", [
    key,
    value,
  ]);
}
