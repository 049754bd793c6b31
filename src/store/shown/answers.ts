import type { Db } from "../engine/db.ts";
import { buildFolderCondition } from "../state/folder-condition.ts";

/** An answer to a failure, shown or withheld from a session of the control group. */
export interface NewAnswer {
  readonly at: number;
  readonly cause: string;
  readonly given: boolean;
  readonly tokens: number;
  /** A later call used the answer if it contains one of the texts and, if `file` is set, is about that file. */
  readonly file: string | null;
  readonly texts: readonly string[];
}

interface AnsweredCall {
  readonly host: string;
  readonly session: string;
  readonly agent: string | null;
  readonly uid: string;
}

/** Stored with the failed call, or with its session's latest event if the call arrives later; else not stored. */
export async function addAnswer(db: Db, { host, session, agent, uid }: AnsweredCall, answer: NewAnswer): Promise<void> {
  const { at, cause, given, tokens, file, texts } = answer;
  await db.run(
    `insert into answers (event, uid, at, host, session, agent, cause, given, tokens, file, texts)
     select id, ?, ?, host, session, ?, ?, ?, ?, ?, ? from events where session = ? and host = ?
     order by case when uid = ? then 0 else 1 end, id desc limit 1`,
    [uid, at, agent, cause, given ? 1 : 0, tokens, file, JSON.stringify(texts), session, host, uid],
  );
}

export interface StoredAnswer extends NewAnswer {
  readonly event: number;
  readonly host: string;
  readonly session: string;
  readonly agent: string | null;
  readonly uid: string;
}

/** Newest first. */
export async function listAnswers(db: Db, limit: number, workspace?: string): Promise<readonly StoredAnswer[]> {
  const there = workspace === undefined ? null : buildFolderCondition(workspace);
  const rows = await db.all<Omit<StoredAnswer, "given" | "texts"> & { given: number; texts: string }>(
    `select event, uid, at, host, session, agent, cause, given, tokens, file, texts from answers
     ${there === null ? "" : `where event in (select id from events where ${there.sql})`} order by id desc limit ?`,
    [...(there?.values ?? []), limit],
  );
  return rows.map((row) => ({ ...row, given: row.given === 1, texts: JSON.parse(row.texts) as string[] }));
}

/** The stored inputs of the same agent's next calls, without repeats of the failed one. */
export async function listInputsAfter(db: Db, answer: StoredAnswer, most: number): Promise<readonly string[]> {
  const { session, host, event, uid, agent } = answer;
  const rows = await db.all<{ input: string }>(
    `select input from events where session = ? and host = ? and kind = 'call' and id > ? and uid <> ?
       and coalesce(agent, '') = ? and input is not null order by id limit ?`,
    [session, host, event, uid, agent ?? "", most],
  );
  const failed = await db.get<{ input: string | null }>("select input from events where id = ? and uid = ?", [
    event,
    uid,
  ]);
  return rows.map((row) => row.input).filter((input) => input !== failed?.input);
}
