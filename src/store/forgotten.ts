import { isRecord, tryParse } from "../lib/json.ts";
import type { Db } from "./engine/db.ts";
import { dropKept } from "./kept.ts";
import { readMeta, writeMeta } from "./meta.ts";
import { onlyIn, tables } from "./tables.ts";

const WAITS = "slack waits";

type Kind = "spoken" | "everything";

/** In the transaction that forgets: whoever is stopped before the bytes are gone leaves a note for the next. */
export async function noteForgotten(tx: Db, what: Kind): Promise<void> {
  // Kept answers may quote it.
  await dropKept(tx);
  const waiting = (await waitingFor(tx)) === "everything" ? "everything" : what;
  await writeMeta(tx, WAITS, JSON.stringify({ what: waiting }));
}

export async function waitingFor(db: Db): Promise<Kind | null> {
  const value = tryParse((await readMeta(db, WAITS)) ?? "");
  return isRecord(value) ? (value["what"] as Kind) : null;
}

/**
 * Takes the bytes of what was forgotten out of the store's files. Not inside a transaction. Gives back why it has to wait, in
 * words; then the next `forget`, `maintain` or `doctor --fix` goes on.
 */
export async function scrubForgotten(db: Db): Promise<string | null> {
  const what = await waitingFor(db);
  if (what === null) return null;
  const scrub = await db.dialect.scrub();
  const here = tables.filter((table) => (onlyIn[table.name] ?? db.dialect.name) === db.dialect.name);
  const names = here.filter((table) => what === "everything" || table.spoken).map((table) => table.name);
  const left = await (what === "everything" ? scrub.everything(db, names) : scrub.tables(db, names));
  if (left === null) await db.run("delete from meta where key = ?", [WAITS]);
  return left;
}
