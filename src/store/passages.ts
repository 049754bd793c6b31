import { wordsOf } from "../domain/text/words.ts";
import type { Db, Narrowed } from "./engine/db.ts";

/** A short text that can be looked for, of a noun that keeps it elsewhere: derived, and made anew from there. */
export interface NewPassage {
  readonly noun: string;
  readonly subject: string;
  /** Who may find it: a search names the scopes it may see. */
  readonly scope: string;
  readonly text: string;
}

export interface Passage extends NewPassage {
  readonly id: number;
}

/** A subject's earlier text is replaced; one that did not change keeps its place and its vector. */
export function putPassages(db: Db, passages: readonly NewPassage[]): Promise<void> {
  return db.tx(async (tx) => {
    for (let from = 0; from < passages.length; from += CHUNK) await putSome(tx, passages.slice(from, from + CHUNK));
  });
}

const CHUNK = 500;

async function putSome(tx: Db, some: readonly NewPassage[]): Promise<void> {
  const known = await storedAs(tx, some);
  const fresh = new Map<string, NewPassage>();
  for (const passage of some) {
    const before = known.get(nameOf(passage));
    if (before?.text !== passage.text || fresh.has(nameOf(passage))) fresh.set(nameOf(passage), passage);
    else if (before.scope !== passage.scope)
      await tx.run("update passages set scope = ? where id = ?", [passage.scope, before.id]);
  }
  const added = [...fresh.values()];
  for (const { noun, subject } of added)
    if (known.has(nameOf({ noun, subject }))) await removePassage(tx, noun, subject);
  await tx.insertMany(
    { table: "passages", columns: ["noun", "subject", "scope", "text"] },
    added.map(({ noun, subject, scope, text }) => [noun, subject, scope, text]),
  );
  const rows = [...(await storedAs(tx, added)).values()].map(({ id, text }) => ({ id, words: wordsOf(text) }));
  await (
    await tx.dialect.passageWords()
  ).index(
    tx,
    rows.filter((row) => row.words.length > 0),
  );
}

async function storedAs(db: Db, passages: readonly NewPassage[]): Promise<ReadonlyMap<string, Passage>> {
  const stored = new Map<string, Passage>();
  for (const noun of new Set(passages.map((one) => one.noun))) {
    const subjects = passages.filter((one) => one.noun === noun).map((one) => one.subject);
    const rows = await db.all<Passage>(
      `select id, noun, subject, scope, text from passages where noun = ? and subject in (${subjects.map(() => "?").join(", ")})`,
      [noun, ...subjects],
    );
    for (const row of rows) stored.set(nameOf(row), row);
  }
  return stored;
}

function nameOf({ noun, subject }: Pick<NewPassage, "noun" | "subject">): string {
  return JSON.stringify([noun, subject]);
}

/** With its vectors. */
export function removePassage(db: Db, noun: string, subject: string): Promise<void> {
  return db.tx(async (tx) => {
    const row = await tx.get<{ id: number }>("select id from passages where noun = ? and subject = ?", [noun, subject]);
    if (!row) return;
    await (await tx.dialect.passageWords()).remove(tx, [row.id]);
    await tx.run("delete from passages where id = ?", [row.id]);
    await (await tx.dialect.vectors()).remove(tx, noun, [subject]);
  });
}

/** A passage without its text, which is read only where it is not known yet. */
export type Placed = Pick<Passage, "id" | "subject">;

/** Where a search may look: at a noun, and of it at the named scopes, or at all where none are named. */
export interface Sight {
  readonly noun: string;
  readonly scopes?: readonly string[] | undefined;
}

export function passagesByIds(db: Db, ids: readonly number[], sight: Sight): Promise<Placed[]> {
  return placed(db, sight, { column: "id", among: ids });
}

export function passagesBySubjects(db: Db, subjects: readonly string[], sight: Sight): Promise<Placed[]> {
  return placed(db, sight, { column: "subject", among: subjects });
}

/** The newest in sight. */
export function latestPassages(db: Db, sight: Sight, limit: number): Promise<Placed[]> {
  const { sql, values } = conditionOf(sight);
  return db.all<Placed>(`select id, subject from passages where ${sql} order by id desc limit ?`, [...values, limit]);
}

export async function passageTexts(db: Db, ids: readonly number[]): Promise<Pick<Passage, "id" | "text">[]> {
  if (ids.length === 0) return [];
  return db.all(`select id, text from passages where id in (${ids.map(() => "?").join(", ")})`, ids);
}

async function placed(
  db: Db,
  sight: Sight,
  { column, among }: { readonly column: "id" | "subject"; readonly among: readonly (string | number)[] },
): Promise<Placed[]> {
  if (among.length === 0 || sight.scopes?.length === 0) return [];
  const rows = await db.all<Omit<Passage, "text">>(
    `select id, noun, subject, scope from passages where ${column} in (${among.map(() => "?").join(", ")})
     ${column === "subject" ? "and noun = ?" : ""}`,
    [...among, ...(column === "subject" ? [sight.noun] : [])],
  );
  // Looked at here: in the question, the store might begin with the scopes, which are long lists.
  const seen = sight.scopes === undefined ? null : new Set(sight.scopes);
  return rows.filter((row) => row.noun === sight.noun && (seen === null || seen.has(row.scope)));
}

function conditionOf({ noun, scopes }: Sight): { readonly sql: string; readonly values: readonly string[] } {
  const seen = scopes === undefined ? "" : ` and scope in (${scopes.map(() => "?").join(", ") || "null"})`;
  return { sql: `noun = ?${seen}`, values: [noun, ...(scopes ?? [])] };
}

/** The condition under which the word index looks: this noun, and these scopes. */
export function withinPassages(sight: Sight): Narrowed["within"] {
  const { sql, values } = conditionOf(sight);
  return { sql: `exists (select 1 from passages where passages.id = :id and ${sql})`, values };
}

/**
 * After a number, for who embeds what has no vector yet. None below it can still appear: passages are written under the
 * journal's lock, so their numbers come in the order of the commits.
 */
export function passagesAfter(db: Db, after: number, limit: number): Promise<Passage[]> {
  return db.all<Passage>("select id, noun, subject, scope, text from passages where id > ? order by id limit ?", [
    after,
    limit,
  ]);
}
