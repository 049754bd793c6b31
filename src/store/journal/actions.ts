import { ACTION } from "../../domain/journal.ts";
import type { Db } from "../engine/db.ts";
import { insertEntry, type Provenance, withJournalLock } from "./journal.ts";

/** Writes into the journal who did something. `what` is read by a person. */
export async function noteAction(db: Db, by: Provenance, what: string): Promise<void> {
  const nothing = { before: null, after: null, undoes: null, scrubbed: false };
  await withJournalLock(db, (tx) => insertEntry(tx, { noun: { name: ACTION }, id: what }, { ...by, ...nothing }));
}
