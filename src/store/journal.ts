import {
  type Cause,
  type Change,
  type State,
  rebuild,
  sameState,
  standingChanges,
  undoing,
} from "../domain/journal.ts";
import { redactValue } from "../domain/redact/redact.ts";
import { OldhandError } from "../lib/errors.ts";
import { plural } from "../lib/text.ts";
import type { Db, Value } from "./engine/db.ts";
import { type Noun, nouns } from "./nouns.ts";

export interface Deed {
  readonly noun: string;
  readonly subject: string;
  /** What it becomes; null forgets that it existed (but not the journal). */
  readonly after: State | null;
  readonly actor: string;
  readonly cause: Cause;
  readonly at: number;
}

/** The one way the mind changes: the change and its entry, together or not at all. Null when nothing would change. */
export function change(db: Db, deed: Deed): Promise<Change | null> {
  return db.tx((tx) => write(tx, deed, null));
}

/** Many changes as one. */
export function changeAll(db: Db, deeds: readonly Deed[]): Promise<Change[]> {
  return db.tx(async (tx) => {
    const made: Change[] = [];
    for (const deed of deeds) {
      const one = await write(tx, deed, null);
      if (one) made.push(one);
    }
    return made;
  });
}

export function undo(db: Db, id: number, by: Pick<Deed, "actor" | "at">): Promise<Change> {
  return db.tx(async (tx) => {
    await queue(tx);
    const target = await getChange(tx, id);
    if (!target)
      throw new OldhandError("not-found", `there is no change ${id}`, { hint: "oldhand history lists them" });
    const noun = nounNamed(target.noun);
    const later = await changesOf(tx, target.noun, target.subject, id);
    const answer = undoing(target, later, await noun.dependants(tx, target.subject));
    if (answer.kind === "refused") {
      const names = answer.because.length > 0 ? ` (${answer.because.join(", ")})` : "";
      throw new OldhandError("refused", `change ${id} cannot be undone: ${answer.why}${names}`, {
        hint: answer.because.length > 0 ? "undo those first" : "nothing was changed",
      });
    }
    const cause: Cause = { kind: "undo", id: String(id), note: null };
    const made = await write(tx, { ...target, ...by, after: answer.to, cause }, id);
    if (!made) throw new OldhandError("refused", `change ${id} made no difference`);
    return made;
  });
}

/** Which of these were forgotten for good. */
export async function forgottenAmong(db: Db, noun: string, subjects: readonly string[]): Promise<ReadonlySet<string>> {
  if (subjects.length === 0) return new Set();
  const rows = await db.all<{ subject: string }>(
    "select distinct subject from journal where noun = ? and scrubbed = 1",
    [noun],
  );
  const forgotten = new Set(rows.map((row) => row.subject));
  return new Set(subjects.filter((subject) => forgotten.has(subject)));
}

/** The subject is gone, and so are the words of its past; that something was here stays. Final. */
export function forget(db: Db, deed: Omit<Deed, "after">): Promise<Change> {
  return db.tx(async (tx) => {
    await queue(tx);
    const noun = nounNamed(deed.noun);
    if ((await noun.read(tx, deed.subject)) === null) throw missing(deed.noun, deed.subject);
    const users = await noun.dependants(tx, deed.subject);
    if (users.length > 0) {
      throw new OldhandError("refused", `${deed.noun} ${deed.subject} is named by ${users.join(", ")}`, {
        hint: "forget those first",
      });
    }
    assertAllowed(noun, deed, { before: await noun.read(tx, deed.subject), after: null });
    await noun.write(tx, deed.subject, null);
    await tx.run(
      "update journal set before = null, after = null, cause_note = null, scrubbed = 1 where noun = ? and subject = ?",
      [deed.noun, deed.subject],
    );
    return insert(tx, { ...deed, before: null, after: null, undoes: null, scrubbed: true });
  });
}

/** Newest first. */
export async function history(
  db: Db,
  page: { readonly before?: number | undefined; readonly limit: number },
): Promise<Change[]> {
  const rows = await db.all<JournalRow>(`${select} where j.id < ? order by j.id desc limit ?`, [
    page.before ?? Number.MAX_SAFE_INTEGER,
    page.limit,
  ]);
  return rows.map(fromRow);
}

/** Oldest first. */
export async function changesOf(db: Db, noun: string, subject: string, after = 0): Promise<Change[]> {
  const rows = await db.all<JournalRow>(`${select} where j.noun = ? and j.subject = ? and j.id > ? order by j.id`, [
    noun,
    subject,
    after,
  ]);
  return rows.map(fromRow);
}

/** Which of these were ever in the mind, also if they are no longer: forgotten or undone is an answer, too. */
export async function everKnown(db: Db, noun: string, subjects: readonly string[]): Promise<ReadonlySet<string>> {
  if (subjects.length === 0) return new Set();
  const rows = await db.all<{ subject: string }>(
    `select distinct subject from journal where noun = ? and subject in (${subjects.map(() => "?").join(", ")})`,
    [noun, ...subjects],
  );
  return new Set(rows.map((row) => row.subject));
}

export async function getChange(db: Db, id: number): Promise<Change | null> {
  const row = await db.get<JournalRow>(`${select} where j.id = ?`, [id]);
  if (!row) return null;
  const found = fromRow(row);
  if (found.undoneBy === null) return found;
  // An undo that was itself undone leaves the change standing.
  const since = [found, ...(await changesOf(db, found.noun, found.subject, id))];
  return standingChanges(since).some((one) => one.id === id) ? { ...found, undoneBy: null } : found;
}

/** The mind as of a time, from the journal alone: `noun id` to state. */
export async function stateAt(db: Db, time: number): Promise<Map<string, State>> {
  const rows = await db.all<{ noun: string; subject: string; after: string | null }>(
    "select noun, subject, after from journal where at <= ? order by id",
    [time],
  );
  return rebuild(rows.map((row) => ({ ...row, after: parse(row.after) })));
}

/** Where journal and live state disagree; empty in a sound mind. */
export async function disagreements(db: Db): Promise<readonly string[]> {
  return db.snapshot(async (view) => {
    const told = await stateAt(view, Number.MAX_SAFE_INTEGER);
    const wrong: string[] = [];
    for (const noun of nouns) {
      for (const state of await noun.all(view)) {
        const key = `${noun.name} ${state.id}`;
        if (!sameState(told.get(key) ?? null, state)) wrong.push(`${key} differs from its journal`);
        told.delete(key);
      }
    }
    for (const key of told.keys()) wrong.push(`${key} is in the journal but not in the mind`);
    return wrong;
  });
}

async function write(tx: Db, deed: Deed, undoes: number | null): Promise<Change | null> {
  await queue(tx);
  const noun = nounNamed(deed.noun);
  const before = await noun.read(tx, deed.subject);
  // The one door of the mind is also where secrets are kept out, whoever brings them.
  const wanted = redactValue(deed.after);
  if (sameState(before, wanted)) return null;
  assertAllowed(noun, deed, { before, after: wanted });
  await noun.write(tx, deed.subject, wanted);
  // What is told is what is there: columns do not hold every text and every fraction exactly.
  const after = await noun.read(tx, deed.subject);
  if (sameState(before, after)) return null;
  return insert(tx, { ...deed, before, after, undoes, scrubbed: false });
}

async function insert(tx: Db, entry: Omit<Change, "id" | "undoneBy">): Promise<Change> {
  // A clock that jumps back must not reorder the past: time in the journal never decreases.
  const last = await tx.get<{ at: number | null }>(
    "select max(at) as at from (select at from journal order by id desc limit 1) as newest",
  );
  const at = Math.max(entry.at, last?.at ?? 0);
  const row = await tx.get<{ id: number }>(
    `insert into journal (at, actor, cause_kind, cause_id, cause_note, noun, subject, before, after, undoes, scrubbed)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`,
    [
      at,
      entry.actor,
      entry.cause.kind,
      entry.cause.id,
      entry.cause.note,
      entry.noun,
      entry.subject,
      json(entry.before),
      json(entry.after),
      entry.undoes,
      entry.scrubbed ? 1 : 0,
    ],
  );
  const { actor, cause, noun, subject, before, after, undoes, scrubbed } = entry;
  return { id: row?.id ?? 0, at, actor, cause, noun, subject, before, after, undoes, undoneBy: null, scrubbed };
}

async function queue(tx: Db): Promise<void> {
  if (tx.dialect.lockJournal !== null) await tx.run(tx.dialect.lockJournal);
}

function assertAllowed(
  noun: Noun,
  { actor, subject }: Pick<Deed, "actor" | "subject">,
  { before, after }: Pick<Change, "before" | "after">,
): void {
  const why = noun.refuses?.(before, after, actor) ?? null;
  if (why !== null)
    throw new OldhandError("refused", `${actor} may not change ${noun.name} ${subject}: ${why}`, {
      hint: "nothing was changed",
    });
}

function nounNamed(name: string): Noun {
  const found = nouns.find((noun) => noun.name === name);
  if (!found) throw new Error(`no noun ${name} among ${plural(nouns.length, "noun")}`);
  return found;
}

function missing(noun: string, subject: string): OldhandError {
  return new OldhandError("not-found", `there is no ${noun} ${subject}`, { hint: "ids are case-sensitive" });
}

const select = `
  select j.id, j.at, j.actor, j.cause_kind, j.cause_id, j.cause_note, j.noun, j.subject, j.before, j.after, j.undoes, j.scrubbed,
    (select max(u.id) from journal u where u.undoes = j.id) as undone_by
  from journal j`;

interface JournalRow {
  id: number;
  at: number;
  actor: string;
  cause_kind: string;
  cause_id: string | null;
  cause_note: string | null;
  noun: string;
  subject: string;
  before: string | null;
  after: string | null;
  undoes: number | null;
  scrubbed: number;
  undone_by: number | null;
}

function fromRow(row: JournalRow): Change {
  return {
    id: row.id,
    at: row.at,
    actor: row.actor,
    cause: { kind: row.cause_kind as Cause["kind"], id: row.cause_id, note: row.cause_note },
    noun: row.noun,
    subject: row.subject,
    before: parse(row.before),
    after: parse(row.after),
    undoes: row.undoes,
    undoneBy: row.undone_by,
    scrubbed: row.scrubbed === 1,
  };
}

function json(state: State | null): Value {
  return state === null ? null : JSON.stringify(state);
}

function parse(text: string | null): State | null {
  return text === null ? null : (JSON.parse(text) as State);
}
