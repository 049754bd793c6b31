import { tokenise } from "../../domain/text/tokenise.ts";
import type { Db, WordQueryOptions } from "../engine/db.ts";

/** A short searchable text of a noun that stores it elsewhere; derived from there. */
export interface NewPassage {
  readonly noun: string;
  readonly subject: string;
  /** Who may find it: a search names the visible scopes. */
  readonly scope: string;
  readonly text: string;
}

export interface Passage extends NewPassage {
  readonly id: number;
}

/** Replaces a subject's earlier text; an unchanged one keeps its id and vector. */
export function putPassages(db: Db, passages: readonly NewPassage[]): Promise<void> {
  return db.tx(async (tx) => {
    for (let from = 0; from < passages.length; from += CHUNK) await putChunk(tx, passages.slice(from, from + CHUNK));
  });
}

const CHUNK = 500;

async function putChunk(tx: Db, some: readonly NewPassage[]): Promise<void> {
  const known = await findStored(tx, some);
  const fresh = new Map<string, NewPassage>();
  for (const passage of some) {
    const before = known.get(passageKey(passage));
    if (before?.text !== passage.text || fresh.has(passageKey(passage))) fresh.set(passageKey(passage), passage);
    else if (before.scope !== passage.scope)
      await tx.run("update passages set scope = ? where id = ?", [passage.scope, before.id]);
  }
  const added = [...fresh.values()];
  for (const { noun, subject } of added)
    if (known.has(passageKey({ noun, subject }))) await removePassage(tx, noun, subject);
  await tx.insertMany(
    { table: "passages", columns: ["noun", "subject", "scope", "text"] },
    added.map(({ noun, subject, scope, text }) => [noun, subject, scope, text]),
  );
  const rows = [...(await findStored(tx, added)).values()].map(({ id, text }) => ({ id, words: tokenise(text) }));
  await (
    await tx.dialect.passageWords()
  ).index(
    tx,
    rows.filter((row) => row.words.length > 0),
  );
}

async function findStored(db: Db, passages: readonly NewPassage[]): Promise<ReadonlyMap<string, Passage>> {
  const stored = new Map<string, Passage>();
  for (const noun of new Set(passages.map((one) => one.noun))) {
    const subjects = passages.filter((one) => one.noun === noun).map((one) => one.subject);
    const rows = await db.all<Passage>(
      `select id, noun, subject, scope, text from passages where noun = ? and subject in (${subjects.map(() => "?").join(", ")})`,
      [noun, ...subjects],
    );
    for (const row of rows) stored.set(passageKey(row), row);
  }
  return stored;
}

function passageKey({ noun, subject }: Pick<NewPassage, "noun" | "subject">): string {
  return JSON.stringify([noun, subject]);
}

/** Also removes its vectors. */
export function removePassage(db: Db, noun: string, subject: string): Promise<void> {
  return db.tx(async (tx) => {
    const row = await tx.get<{ id: number }>("select id from passages where noun = ? and subject = ?", [noun, subject]);
    if (!row) return;
    await (await tx.dialect.passageWords()).remove(tx, [row.id]);
    await tx.run("delete from passages where id = ?", [row.id]);
    await (await tx.dialect.vectors()).remove(tx, noun, [subject]);
  });
}

/** A passage without its text, which is read only if it is not cached. */
export type PassageRef = Pick<Passage, "id" | "subject">;

/** What a search may see: one noun, in the named scopes, or in all if none are named. */
export interface SearchScope {
  readonly noun: string;
  readonly scopes?: readonly string[] | undefined;
}

export function getPassagesByIds(db: Db, ids: readonly number[], scope: SearchScope): Promise<PassageRef[]> {
  return selectPassages(db, scope, { column: "id", among: ids });
}

export function getPassagesBySubjects(db: Db, subjects: readonly string[], scope: SearchScope): Promise<PassageRef[]> {
  return selectPassages(db, scope, { column: "subject", among: subjects });
}

/** The newest visible passages. */
export function listLatestPassages(db: Db, scope: SearchScope, limit: number): Promise<PassageRef[]> {
  const { sql, values } = buildCondition(scope);
  return db.all<PassageRef>(`select id, subject from passages where ${sql} order by id desc limit ?`, [
    ...values,
    limit,
  ]);
}

export async function getPassageTexts(db: Db, ids: readonly number[]): Promise<Pick<Passage, "id" | "text">[]> {
  if (ids.length === 0) return [];
  return db.all(`select id, text from passages where id in (${ids.map(() => "?").join(", ")})`, ids);
}

async function selectPassages(
  db: Db,
  scope: SearchScope,
  { column, among }: { readonly column: "id" | "subject"; readonly among: readonly (string | number)[] },
): Promise<PassageRef[]> {
  if (among.length === 0 || scope.scopes?.length === 0) return [];
  const rows = await db.all<Omit<Passage, "text">>(
    `select id, noun, subject, scope from passages where ${column} in (${among.map(() => "?").join(", ")})
     ${column === "subject" ? "and noun = ?" : ""}`,
    [...among, ...(column === "subject" ? [scope.noun] : [])],
  );
  // Filtered here: in SQL, the database might start with the scopes, which are long lists.
  const seen = scope.scopes === undefined ? null : new Set(scope.scopes);
  return rows.filter((row) => row.noun === scope.noun && (seen === null || seen.has(row.scope)));
}

function buildCondition({ noun, scopes }: SearchScope): { readonly sql: string; readonly values: readonly string[] } {
  const seen = scopes === undefined ? "" : ` and scope in (${scopes.map(() => "?").join(", ") || "null"})`;
  return { sql: `noun = ?${seen}`, values: [noun, ...(scopes ?? [])] };
}

/** The condition for the word index: this noun and these scopes. */
export function buildPassageFilter(scope: SearchScope): WordQueryOptions["within"] {
  const { sql, values } = buildCondition(scope);
  return { sql: `exists (select 1 from passages where passages.id = :id and ${sql})`, values };
}

/**
 * Passages after an id, for embedding. None with a smaller id can still appear: passages are written under
 * the journal's lock, so ids are in commit order.
 */
export function listPassagesAfter(db: Db, after: number, limit: number): Promise<Passage[]> {
  return db.all<Passage>("select id, noun, subject, scope, text from passages where id > ? order by id limit ?", [
    after,
    limit,
  ]);
}
