import { findProtectionBreach, type Identity, type IdentityName } from "../../domain/identity/identity.ts";
import { isOwner } from "../../domain/actor.ts";
import type { Db } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

export async function listIdentities(db: Db): Promise<Identity[]> {
  const rows = await db.all<{ id: string; text: string }>("select id, text from identities order by id");
  return rows.map((row) => ({ id: row.id as IdentityName, text: row.text }));
}

export async function getIdentity(db: Db, id: string): Promise<Identity | null> {
  const row = await db.get<{ id: string; text: string }>("select id, text from identities where id = ?", [id]);
  return row ? { id: row.id as IdentityName, text: row.text } : null;
}

/** Only the journal calls these. Only the owner may change protected sections or remove a file. */
export const identityNoun: Noun<Identity> = {
  name: "identity",
  read: getIdentity,
  write: async (db, id, state) => {
    if (state === null) {
      await db.run("delete from identities where id = ?", [id]);
      return;
    }
    await db.run(
      "insert into identities (id, text) values (?, ?) on conflict (id) do update set text = excluded.text",
      [id, state.text],
    );
  },
  all: listIdentities,
  dependants: async () => [],
  refuses: (before, after, actor) => {
    if (isOwner(actor)) return null;
    if (before === null || after === null) return "only the owner creates or removes it";
    return findProtectionBreach(before.id, before.text, after.text);
  },
};
