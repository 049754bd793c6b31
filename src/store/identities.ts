import { breachOf, type Identity, type IdentityName } from "../domain/identity/identity.ts";
import type { Db } from "./engine/db.ts";
import type { Noun } from "./nouns.ts";

export async function listIdentities(db: Db): Promise<Identity[]> {
  const rows = await db.all<{ id: string; text: string }>("select id, text from identities order by id");
  return rows.map((row) => ({ id: row.id as IdentityName, text: row.text }));
}

export async function getIdentity(db: Db, id: string): Promise<Identity | null> {
  const row = await db.get<{ id: string; text: string }>("select id, text from identities where id = ?", [id]);
  return row ? { id: row.id as IdentityName, text: row.text } : null;
}

/** Only the journal calls these. Nobody but the owner touches what is protected, nor takes a file away. */
export const identityNoun: Noun = {
  name: "identity",
  read: async (db, id) => {
    const one = await getIdentity(db, id);
    return one && { ...one };
  },
  write: async (db, id, state) => {
    if (state === null) {
      await db.run("delete from identities where id = ?", [id]);
      return;
    }
    const { text } = state as unknown as Identity;
    await db.run(
      "insert into identities (id, text) values (?, ?) on conflict (id) do update set text = excluded.text",
      [id, text],
    );
  },
  all: async (db) => (await listIdentities(db)).map((one) => ({ ...one })),
  dependants: async () => [],
  refuses: (before, after, actor) => {
    if (actor === "owner") return null;
    if (before === null || after === null) return "only the owner makes or removes it";
    const [was, is] = [before as unknown as Identity, after as unknown as Identity];
    return breachOf(was.id, was.text, is.text);
  },
};
