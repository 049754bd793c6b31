import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { clearCachedResults } from "./result-cache.ts";
import { readMeta, writeMeta } from "./meta.ts";
import { listOwnTables } from "./tables.ts";

const PENDING_SCRUB = "slack waits";

type ScrubScope = "spoken" | "everything";

/** Call it in the transaction that forgets: if the process ends before the bytes are removed, another finishes it. */
export async function notePendingScrub(tx: Db, what: ScrubScope): Promise<void> {
  // Cached results and cached answers of models may contain excerpts of it.
  await clearCachedResults(tx);
  await tx.run("delete from response_cache");
  const waiting = (await readPendingScrub(tx)) === "everything" ? "everything" : what;
  await writeMeta(tx, PENDING_SCRUB, JSON.stringify({ what: waiting }));
}

export async function readPendingScrub(db: Db): Promise<ScrubScope | null> {
  const value = tryParseJson((await readMeta(db, PENDING_SCRUB)) ?? "");
  return isRecord(value) ? (value["what"] as ScrubScope) : null;
}

/**
 * Removes the bytes of forgotten data from the store's files. Not inside a transaction. Returns why it has to
 * wait, or null; the next `forget`, `maintain` or `doctor --fix` then continues.
 */
export async function scrubForgotten(db: Db): Promise<string | null> {
  const what = await readPendingScrub(db);
  if (what === null) return null;
  const scrub = await db.dialect.scrub();
  const names = listOwnTables(db)
    .filter((table) => what === "everything" || table.spoken)
    .map((table) => table.name);
  const left = await (what === "everything" ? scrub.everything(db, names) : scrub.tables(db, names));
  if (left === null) await db.run("delete from meta where key = ?", [PENDING_SCRUB]);
  return left;
}
