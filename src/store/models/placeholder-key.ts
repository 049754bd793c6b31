import { randomBytes } from "node:crypto";
import type { Db } from "../engine/db.ts";
import { readMeta } from "../state/meta.ts";

/**
 * The key by which the placeholders of secrets are made, the same for all processes of a mind. It opens nothing; without it,
 * nobody can find out by trying which secret a placeholder stands for. It is in no backup.
 */
export async function readPlaceholderKey(db: Db): Promise<string> {
  const known = await readMeta(db, NAME);
  if (known !== null) return known;
  await db.run("insert into meta (key, value) values (?, ?) on conflict (key) do nothing", [
    NAME,
    randomBytes(32).toString("hex"),
  ]);
  return (await readMeta(db, NAME)) ?? "";
}

const NAME = "placeholder key";
