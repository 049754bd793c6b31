import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { Db } from "../engine/db.ts";

/** One file that a turn changed: how it was before the turn's first change, and how it is after the last one. */
export interface Checkpoint {
  readonly session: string;
  readonly turn: number;
  readonly path: string;
  readonly at: number;
  /** What was there: `none`, `file HASH` or `link HASH`, as src/converse/undo/file-state.ts writes it. */
  readonly before: string;
  /** The same after the last change. Null: the change was begun, and its end is unknown. */
  readonly after: string | null;
  /** The file's mode before; null if there was none. */
  readonly mode: number | null;
  readonly undoneAt: number | null;
}

const COLUMNS = "session, turn, path, at, before, after, mode, undone_at";

/** Nothing happens if the turn has one for this path: its first change counts. */
export async function insertCheckpoint(db: Db, one: Omit<Checkpoint, "after" | "undoneAt">): Promise<void> {
  await db.run(
    `insert into checkpoints (${COLUMNS}) values (?, ?, ?, ?, ?, null, ?, null) on conflict (session, turn, path) do nothing`,
    [one.session, one.turn, one.path, one.at, one.before, one.mode],
  );
}

export async function updateCheckpoint(
  db: Db,
  { session, turn, path }: Pick<Checkpoint, "session" | "turn" | "path">,
  after: string,
): Promise<void> {
  await db.run("update checkpoints set after = ? where session = ? and turn = ? and path = ?", [
    after,
    session,
    turn,
    path,
  ]);
}

export async function listCheckpoints(db: Db, session: string, turn: number): Promise<readonly Checkpoint[]> {
  const rows = await db.all<CheckpointRow>(
    `select ${COLUMNS} from checkpoints where session = ? and turn = ? order by path`,
    [session, turn],
  );
  return rows.map(({ undone_at: undoneAt, ...row }) => ({ ...row, undoneAt }));
}

/** Those of the turns after this one, the first turn first. */
export async function listLaterCheckpoints(db: Db, session: string, turn: number): Promise<readonly Checkpoint[]> {
  const rows = await db.all<CheckpointRow>(
    `select ${COLUMNS} from checkpoints where session = ? and turn > ? order by turn, path`,
    [session, turn],
  );
  return rows.map(({ undone_at: undoneAt, ...row }) => ({ ...row, undoneAt }));
}

/** The files that any session changed after this time. */
export async function listPathsChangedSince(db: Db, at: number): Promise<readonly string[]> {
  const rows = await db.all<{ readonly path: string }>("select distinct path from checkpoints where at >= ?", [at]);
  return rows.map(({ path }) => path);
}

export async function markUndone(db: Db, session: string, turn: number, now: number): Promise<void> {
  await db.run("update checkpoints set undone_at = ? where session = ? and turn = ? and undone_at is null", [
    now,
    session,
    turn,
  ]);
}

/** Those of turns that changed nothing after this time. */
export function removeOldCheckpoints(db: Db, before: number): Promise<number> {
  return db.run(
    `delete from checkpoints where at < ? and not exists (
       select 1 from checkpoints later
       where later.session = checkpoints.session and later.turn = checkpoints.turn and later.at >= ?)`,
    [before, before],
  );
}

/** What is kept, the oldest first. */
export function listKeptStates(
  db: Db,
): Promise<readonly { readonly session: string; readonly turn: number; readonly before: string }[]> {
  return db.all("select session, turn, before from checkpoints order by at, session, turn");
}

export async function removeCheckpoints(db: Db, session: string, turn: number): Promise<void> {
  await db.run("delete from checkpoints where session = ? and turn = ?", [session, turn]);
}

/** When the person's message of a turn came. Null if there is no such turn among the last ones. */
export async function findTurnStart(db: Db, session: string, turn: number): Promise<number | null> {
  const rows = await db.all<{ readonly at: number; readonly data: string }>(
    "select at, data from chat_entries where session = ? and kind = 'user' order by seq desc limit 100",
    [session],
  );
  const ofTurn = rows.filter(({ data }) => {
    const details = tryParseJson(data);
    return isRecord(details) && details["turn"] === turn;
  });
  return ofTurn.at(-1)?.at ?? null;
}

interface CheckpointRow extends Omit<Checkpoint, "undoneAt"> {
  readonly undone_at: number | null;
}
