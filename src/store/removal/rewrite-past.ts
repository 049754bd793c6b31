import { stableJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";
import { withJournalLock } from "../journal/journal.ts";
import type { Noun } from "../nouns/noun.ts";

/**
 * Applies `rewrite` to every state of a noun, current and in the journal. The journal still rebuilds the
 * current state, and each change can still be undone. Use it only to remove something from the past on the
 * owner's request.
 */
export function rewritePast<T extends object>(db: Db, noun: Noun<T>, rewrite: (state: T) => T): Promise<void> {
  return withJournalLock(db, async (tx) => {
    for (const state of await noun.all(tx)) {
      const after = rewrite(state);
      if (stableJson(after) !== stableJson(state)) await noun.write(tx, state.id, after);
    }
    for (let last = 0; ;) {
      const rows = await tx.all<StoredStates>(
        "select id, before, after from journal where noun = ? and scrubbed = 0 and id > ? order by id limit ?",
        [noun.name, last, PAGE],
      );
      for (const row of rows) await rewriteEntry(tx, row, rewrite);
      last = rows.at(-1)?.id ?? last;
      if (rows.length < PAGE) return;
    }
  });
}

interface StoredStates {
  readonly id: number;
  readonly before: string | null;
  readonly after: string | null;
}

async function rewriteEntry<T extends object>(tx: Db, entry: StoredStates, rewrite: (state: T) => T): Promise<void> {
  const changed = (text: string | null) => (text === null ? null : JSON.stringify(rewrite(JSON.parse(text) as T)));
  const [before, after] = [changed(entry.before), changed(entry.after)];
  if (before !== entry.before || after !== entry.after)
    await tx.run("update journal set before = ?, after = ? where id = ?", [before, after, entry.id]);
}

const PAGE = 500;
