import {
  ACTION,
  type Cause,
  type Change,
  type State,
  rebuildStates,
  isSameState,
  effectiveChanges,
  planUndo,
} from "../../domain/journal.ts";
import { redactValue } from "../../domain/redact/redact.ts";
import { type Actor, formatActor } from "../../domain/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { plural } from "../../lib/text.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import { notePendingScrub } from "../state/scrub-forgotten.ts";
import type { Noun } from "../nouns/noun.ts";
import { nouns } from "../nouns/nouns.ts";
import { tables } from "../state/tables.ts";
import { dropPendingAdviceAbout } from "../shown/pending-advice.ts";

/** Who makes a change, why, and when. */
export interface Provenance {
  readonly actor: Actor;
  readonly cause: Cause;
  readonly at: number;
}

/** The only place that sets a change's actor, cause and time. A string cause is the name of an operation. */
export function makeProvenance(
  { actor, clock }: { readonly actor: Actor; readonly clock: Clock },
  cause: string | Omit<Cause, "note">,
  note: string | null = null,
): Provenance {
  const what = typeof cause === "string" ? { kind: "operation" as const, id: cause } : cause;
  return { actor, cause: { ...what, note }, at: clock.now() };
}

export interface JournalSubject<T extends object> {
  readonly noun: Noun<T>;
  readonly id: string;
}

/** Computes the new state from the current one. Null means absent: returning null removes the subject. */
export type NextState<T extends object> = (before: T | null) => T | null;

/**
 * The only way to change the mind: writes the change and its journal entry in one transaction. `next` is
 * called under the lock with the current state, so that two writers never lose a change. Returns null if
 * nothing changes.
 */
export function applyChange<T extends object>(
  db: Db,
  of: JournalSubject<T>,
  by: Provenance,
  next: NextState<T>,
): Promise<Change<T> | null> {
  return withJournalLock(db, (tx) => writeChange(tx, of, { ...by, undoes: null }, next));
}

/** One of several changes that are applied together. */
export type PlannedChange = (tx: Db) => Promise<Change<object> | null>;

export function planChange<T extends object>(
  noun: Noun<T>,
  id: string,
  by: Provenance,
  next: NextState<T>,
): PlannedChange {
  return (tx) => writeChange(tx, { noun, id }, { ...by, undoes: null }, next);
}

/** Applies many changes in one transaction, in order: each sees the ones before. */
export function applyAllChanges(db: Db, changes: readonly PlannedChange[]): Promise<Change<object>[]> {
  return withJournalLock(db, async (tx) => {
    const made: Change<object>[] = [];
    for (const each of changes) {
      const one = await each(tx);
      if (one) made.push(one);
    }
    return made;
  });
}

/** A transaction in which no other writer changes the mind, so that what it reads still holds when it writes. */
export function withJournalLock<R>(db: Db, work: (tx: Db) => Promise<R>): Promise<R> {
  return db.tx(async (tx) => {
    if (tx.dialect.lockJournal !== null) await tx.run(tx.dialect.lockJournal);
    return work(tx);
  });
}

export function undoChange(
  db: Db,
  id: number,
  by: Pick<Provenance, "actor" | "at">,
  /** True if a later change does not block the undo. */
  givesWay?: (later: Change, to: Change) => boolean,
): Promise<Change<object>> {
  return withJournalLock(db, async (tx) => {
    const target = await getChange(tx, id);
    if (!target)
      throw new OldhandError("not-found", `there is no change ${id}`, { hint: "oldhand history lists them" });
    if (target.noun === ACTION && /^(?:pause of|end of the pause)/.test(target.subject))
      throw new OldhandError(
        "refused",
        `change ${id} is a pause or its end; use \`oldhand pause\` or \`oldhand resume\``,
        { hint: "nothing was changed" },
      );
    if (target.noun === ACTION)
      throw new OldhandError("refused", `change ${id} cannot be undone: it only says what was done`, {
        hint: "nothing was changed",
      });
    const noun = findNoun(target.noun);
    const later = await listChangesOf(tx, target.noun, target.subject, id);
    const planned = planUndo(target, later, await noun.dependants(tx, target.subject), givesWay);
    if (planned.kind === "refused") {
      const names = planned.because.length > 0 ? ` (${planned.because.join(", ")})` : "";
      throw new OldhandError("refused", `change ${id} cannot be undone: ${planned.why}${names}`, {
        hint: planned.isDone === true ? "nothing was changed" : hintFor(id, planned.because),
      });
    }
    const over = planned.over.map((one) => one.id).join(", ");
    const note = over === "" ? null : overNote(over, planned.to === null);
    const cause: Cause = { kind: "undo", id: String(id), note };
    const of = { noun, id: target.subject };
    const now = await noun.read(tx, target.subject);
    const to = planned.to === null ? null : (noun.fitUndone?.(tx, now, planned.to) ?? planned.to);
    const made = await writeChange(tx, of, { ...by, cause, undoes: id }, () => to);
    if (!made && to !== planned.to)
      throw new OldhandError("refused", `change ${id} cannot be undone: in a team, a command belongs to a machine`, {
        hint: "oldhand job edit NAME --machine moves it, --anywhere lets any machine run it",
      });
    if (!made) throw new OldhandError("refused", `change ${id} made no difference`);
    return made;
  });
}

/** The commands that undo the change, with what depends on it first. */
function hintFor(id: number, because: readonly string[]): string {
  if (because.length === 0) return "nothing was changed";
  const changes = because.map((one) => Number(/^change (\d+)$/.exec(one)?.[1] ?? Number.NaN));
  if (changes.some(Number.isNaN)) return "undo those first";
  const commands = [...changes.toSorted((a, b) => b - a), id].map((one) => `oldhand undo ${one}`);
  return `${commands.join(", then ")}`;
}

function overNote(changes: string, isGone: boolean): string {
  return isGone ? `and with it what followed from it: ${changes}` : `later counts stay with the other rule: ${changes}`;
}

/** The subjects that were forgotten permanently. */
export async function filterForgotten(db: Db, noun: string, subjects: readonly string[]): Promise<ReadonlySet<string>> {
  if (subjects.length === 0) return new Set();
  const rows = await db.all<{ subject: string }>(
    "select distinct subject from journal where noun = ? and scrubbed = 1",
    [noun],
  );
  const forgotten = new Set(rows.map((row) => row.subject));
  return new Set(subjects.filter((subject) => forgotten.has(subject)));
}

/**
 * Deletes the subject and the texts of its past entries; the fact that it existed stays. Cannot be undone.
 * `scrubForgotten` removes the bytes from the store's files, after the transaction.
 */
export function forgetSubject<T extends object>(
  db: Db,
  { noun, id }: JournalSubject<T>,
  by: Provenance,
): Promise<Change<T>> {
  return withJournalLock(db, async (tx) => {
    const before = await noun.read(tx, id);
    if (before === null)
      throw new OldhandError("not-found", `there is no ${noun.name} ${id}`, { hint: "ids are case-sensitive" });
    const users = await noun.dependants(tx, id);
    if (users.length > 0) {
      throw new OldhandError("refused", `${noun.name} ${id} is named by ${users.join(", ")}`, {
        hint: "forget those first",
      });
    }
    assertAllowed({ noun, id }, by.actor, { before, after: null });
    await noun.write(tx, id, null);
    await tx.run(
      "update journal set before = null, after = null, cause_note = null, scrubbed = 1 where noun = ? and subject = ?",
      [noun.name, id],
    );
    for (const { name, of } of tables)
      if (of?.noun === noun.name) await tx.run(`delete from ${name} where ${of.column} = ?`, [id]);
    await dropPendingAdviceAbout(tx, id);
    await notePendingScrub(tx, "spoken");
    return insertEntry<T>(tx, { noun, id }, { ...by, before: null, after: null, undoes: null, scrubbed: true });
  });
}

/** Newest first. */
export async function listChanges(
  db: Db,
  page: {
    readonly before?: number | undefined;
    readonly since?: number | undefined;
    readonly until?: number | undefined;
    readonly limit: number;
  },
): Promise<Change[]> {
  const { before = Number.MAX_SAFE_INTEGER, since, until, limit } = page;
  const within = `${since === undefined ? "" : "and j.at >= ?"} ${until === undefined ? "" : "and j.at <= ?"}`;
  const rows = await db.all<JournalRow>(`${select} where j.id < ? ${within} order by j.id desc limit ?`, [
    before,
    ...(since === undefined ? [] : [since]),
    ...(until === undefined ? [] : [until]),
    limit,
  ]);
  return rows.map((row) => fromRow<State>(row));
}

/** Oldest first. */
export function listChangesOf<T extends object>(
  db: Db,
  noun: Noun<T>,
  subject: string,
  after?: number,
): Promise<Change<T>[]>;
export function listChangesOf(db: Db, noun: string, subject: string, after?: number): Promise<Change[]>;
export async function listChangesOf<T extends object>(
  db: Db,
  noun: string | Noun<T>,
  subject: string,
  after = 0,
): Promise<Change<T>[]> {
  const rows = await db.all<JournalRow>(`${select} where j.noun = ? and j.subject = ? and j.id > ? order by j.id`, [
    typeof noun === "string" ? noun : noun.name,
    subject,
    after,
  ]);
  return rows.map((row) => fromRow<T>(row));
}

/** The subjects that ever existed, even if forgotten or undone since. */
export async function filterEverKnown(db: Db, noun: string, subjects: readonly string[]): Promise<ReadonlySet<string>> {
  if (subjects.length === 0) return new Set();
  const rows = await db.all<{ subject: string }>(
    `select distinct subject from journal where noun = ? and subject in (${subjects.map(() => "?").join(", ")})`,
    [noun, ...subjects],
  );
  return new Set(rows.map((row) => row.subject));
}

/** The number of the last change of a kind of subject; 0 if there is none. */
export async function findLastChangeId(db: Db, noun: string): Promise<number> {
  const row = await db.get<{ id: number | null }>("select max(id) as id from journal where noun = ?", [noun]);
  return row?.id ?? 0;
}

export async function getChange(db: Db, id: number): Promise<Change | null> {
  const row = await db.get<JournalRow>(`${select} where j.id = ?`, [id]);
  if (!row) return null;
  const found = fromRow<State>(row);
  if (found.undoneBy === null) return found;
  // If the undo was itself undone, the change stands.
  const since = [found, ...(await listChangesOf(db, found.noun, found.subject, id))];
  return effectiveChanges(since).some((one) => one.id === id) ? { ...found, undoneBy: null } : found;
}

/** The newest change by this actor that still stands, without undos; null if there is none. */
export async function findLastStandingChange(db: Db, actor: Actor): Promise<number | null> {
  const rows = await db.all<{ id: number }>(
    `select id from journal where actor = ? and undoes is null and scrubbed = 0 and noun <> ? order by id desc limit ?`,
    [formatActor(actor), ACTION, MAX_LOOK_BACK],
  );
  for (const { id } of rows) if ((await getChange(db, id))?.undoneBy === null) return id;
  return null;
}

/** The newest entry of an actor: whether it forgot something, which cannot be undone. */
export async function hasJustForgotten(db: Db, actor: Actor): Promise<boolean> {
  const row = await db.get<{ scrubbed: number; cause_id: string }>(
    "select scrubbed, cause_id from journal where actor = ? order by id desc limit 1",
    [formatActor(actor)],
  );
  return row?.scrubbed === 1 && row.cause_id.endsWith("forget");
}

/** Beyond this many changes, the user must name the change to undo. */
const MAX_LOOK_BACK = 200;

/** The mind at a given time, from the journal alone: maps `noun id` to state. */
export async function readStateAt(db: Db, time: number): Promise<Map<string, State>> {
  const rows = await db.all<{ noun: string; subject: string; after: string | null }>(
    "select noun, subject, after from journal where at <= ? order by id",
    [time],
  );
  return rebuildStates(rows.map((row) => ({ ...row, after: parseState<State>(row.after) })));
}

/** Where journal and live state differ; empty if consistent. */
export async function findDisagreements(db: Db): Promise<readonly string[]> {
  return db.snapshot(async (view) => {
    const journalled = await readStateAt(view, Number.MAX_SAFE_INTEGER);
    const wrong: string[] = [];
    for (const noun of nouns) {
      for (const state of await noun.all(view)) {
        const key = `${noun.name} ${state.id}`;
        if (!isSameState(journalled.get(key) ?? null, state)) wrong.push(`${key} differs from its journal`);
        journalled.delete(key);
      }
    }
    for (const key of journalled.keys()) wrong.push(`${key} is in the journal but not in the mind`);
    return wrong;
  });
}

type JournalEntry = Provenance & { readonly undoes: number | null };

/** Call it only under the lock. */
async function writeChange<T extends object>(
  tx: Db,
  of: JournalSubject<T>,
  entry: JournalEntry,
  next: NextState<T>,
): Promise<Change<T> | null> {
  const { noun, id } = of;
  const before = await noun.read(tx, id);
  // All changes pass here, so secrets are removed here, whoever writes them.
  const wanted = redactValue(next(before));
  if (isSameState(before, wanted)) return null;
  assertAllowed(of, entry.actor, { before, after: wanted });
  await noun.write(tx, id, wanted);
  // Read back, because columns do not store every text and every fraction exactly.
  const after = await noun.read(tx, id);
  if (isSameState(before, after)) return null;
  return insertEntry(tx, of, { ...entry, before, after, scrubbed: false });
}

export async function insertEntry<T extends object>(
  tx: Db,
  { noun, id }: { readonly noun: Pick<Noun<T>, "name">; readonly id: string },
  entry: JournalEntry & Pick<Change<T>, "before" | "after" | "scrubbed">,
): Promise<Change<T>> {
  // Journal times never decrease, even if the clock does.
  const last = await tx.get<{ at: number | null }>(
    "select max(at) as at from (select at from journal order by id desc limit 1) as newest",
  );
  const { cause, before, after, undoes, scrubbed } = entry;
  const [at, actor] = [Math.max(entry.at, last?.at ?? 0), formatActor(entry.actor)];
  const row = await tx.get<{ id: number }>(
    `insert into journal (at, actor, cause_kind, cause_id, cause_note, noun, subject, before, after, undoes, scrubbed)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`,
    [
      at,
      actor,
      cause.kind,
      cause.id,
      cause.note,
      noun.name,
      id,
      serializeState(before),
      serializeState(after),
      undoes,
      scrubbed ? 1 : 0,
    ],
  );
  const what = { noun: noun.name, subject: id, before, after };
  return { id: row?.id ?? 0, at, actor, cause, ...what, undoes, undoneBy: null, scrubbed };
}

function assertAllowed<T extends object>(
  { noun, id }: JournalSubject<T>,
  actor: Actor,
  { before, after }: Pick<Change<T>, "before" | "after">,
): void {
  const why = noun.refuses?.(before, after, actor) ?? null;
  if (why !== null)
    throw new OldhandError("refused", `${formatActor(actor)} may not change ${noun.name} ${id}: ${why}`, {
      hint: "nothing was changed",
    });
}

function findNoun(name: string): Noun {
  const found = nouns.find((noun) => noun.name === name);
  if (!found) throw new Error(`no noun ${name} among ${plural(nouns.length, "noun")}`);
  return found;
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

function fromRow<T extends object>(row: JournalRow): Change<T> {
  return {
    id: row.id,
    at: row.at,
    actor: row.actor,
    cause: { kind: row.cause_kind as Cause["kind"], id: row.cause_id, note: row.cause_note },
    noun: row.noun,
    subject: row.subject,
    before: parseState<T>(row.before),
    after: parseState<T>(row.after),
    undoes: row.undoes,
    undoneBy: row.undone_by,
    scrubbed: row.scrubbed === 1,
  };
}

function serializeState(state: object | null): SqlValue {
  return state === null ? null : JSON.stringify(state);
}

/** The journal stores only what a noun wrote, so the type is known. */
function parseState<T extends object>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}
