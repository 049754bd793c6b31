import { redact } from "../../domain/redact/redact.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { storable } from "../../lib/text.ts";
import type { Db } from "../engine/db.ts";
import { type KvEntry, listValues, putValue } from "../state/kv.ts";

export interface NewTurn {
  readonly session: string;
  readonly text: string;
  readonly now: number;
  readonly ttlMs: number;
  readonly maxBytes: number;
}

/** Stores one turn of a session's working memory. Deletes the oldest ones if needed, so that a new turn always fits. */
export function storeTurn(db: Db, turn: NewTurn): Promise<{ readonly key: string; readonly dropped: number }> {
  return db.tx((tx) => storeTurnWithin(tx, turn));
}

/** The same for a caller that has a transaction. */
export async function storeTurnWithin(
  tx: Db,
  turn: NewTurn,
): Promise<{ readonly key: string; readonly dropped: number }> {
  const value = storable(redact(turn.text));
  const key = newId("t", turn.now);
  const space = turnSpace(turn.session);
  const bytes = Buffer.byteLength(value) + Buffer.byteLength(key);
  if (bytes > turn.maxBytes)
    throw new OldhandError(
      "refused",
      `one turn of ${bytes} bytes exceeds the limit of ${turn.maxBytes}; nothing was written`,
      { hint: "save a shorter one, or raise memory.workingBytes" },
    );
  if (tx.dialect.lockKvTable !== null) await tx.run(tx.dialect.lockKvTable);
  await tx.run("delete from kv where until <= ?", [turn.now]);
  const kept = await tx.all<{ key: string; bytes: number }>(
    "select key, bytes from kv where space = ? order by written_at, key",
    [space],
  );
  let total = kept.reduce((sum, one) => sum + one.bytes, bytes);
  let dropped = 0;
  for (const one of kept) {
    if (total <= turn.maxBytes) break;
    await tx.run("delete from kv where space = ? and key = ?", [space, one.key]);
    total -= one.bytes;
    dropped++;
  }
  await tx.run("insert into kv (space, key, value, bytes, until, written_at) values (?, ?, ?, ?, ?, ?)", [
    space,
    key,
    value,
    bytes,
    turn.now + turn.ttlMs,
    turn.now,
  ]);
  return { key, dropped };
}

/** Stores what holds now under a name: a later state of the same name replaces it. */
export function storeState(db: Db, { session, ...state }: NewTurn & { readonly name: string }): Promise<void> {
  const { name, text, now, ttlMs, maxBytes } = state;
  return putValue(db, { space: turnSpace(session), key: `state ${name}`, value: text, now, ttlMs, maxBytes });
}

/** Oldest first, without expired ones. */
export function listTurns(db: Db, session: string, now: number): Promise<KvEntry[]> {
  return listValues(db, turnSpace(session), now);
}

export async function clearTurns(db: Db, session: string): Promise<number> {
  return db.run("delete from kv where space = ?", [turnSpace(session)]);
}

function turnSpace(session: string): string {
  return `working ${session}`;
}
