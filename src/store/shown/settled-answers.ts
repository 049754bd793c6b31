import type { StoredAnswer } from "./answers.ts";
import type { Db } from "../engine/db.ts";

/** Answers since a time whose use is not determined yet, oldest first. */
export async function listUnsettledAnswers(db: Db, since: number, limit: number): Promise<readonly StoredAnswer[]> {
  const rows = await db.all<Omit<StoredAnswer, "given" | "texts"> & { given: number; texts: string }>(
    `select event, uid, at, host, session, agent, cause, given, tokens, file, texts from answers
     where at >= ? and used is null order by at limit ?`,
    [since, limit],
  );
  return rows.map((row) => ({ ...row, given: row.given === 1, texts: JSON.parse(row.texts) as string[] }));
}

/** Stores whether it was used; this no longer changes. */
export async function settleAnswer(db: Db, { event, uid, at }: StoredAnswer, isUsed: boolean): Promise<void> {
  await db.run("update answers set used = ? where event = ? and uid = ? and at = ?", [isUsed ? 1 : 0, event, uid, at]);
}
