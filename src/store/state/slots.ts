import type { Db } from "../engine/db.ts";

/** True for exactly one caller per name and slot, across machines. */
export async function claimSlot(
  db: Db,
  name: string,
  slot: number,
  by: { readonly owner: string; readonly now: number },
): Promise<boolean> {
  return (
    (await db.run("insert into slots (name, slot, owner, at) values (?, ?, ?, ?) on conflict (name, slot) do nothing", [
      name,
      slot,
      by.owner,
      by.now,
    ])) === 1
  );
}

export function pruneSlots(db: Db, before: number): Promise<number> {
  return db.run("delete from slots where at < ?", [before]);
}
