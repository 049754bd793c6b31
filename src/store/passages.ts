import { wordsOf } from "../domain/words.ts";
import type { Db, Narrowed } from "./db.ts";

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
    const rows: { id: number; words: readonly string[] }[] = [];
    for (const { noun, subject, scope, text } of passages) {
      const same = await tx.run("update passages set scope = ? where noun = ? and subject = ? and text = ?", [
        scope,
        noun,
        subject,
        text,
      ]);
      if (same === 1) continue;
      await removePassage(tx, noun, subject);
      const row = await tx.get<{ id: number }>(
        "insert into passages (noun, subject, scope, text) values (?, ?, ?, ?) returning id",
        [noun, subject, scope, text],
      );
      if (row) rows.push({ id: row.id, words: wordsOf(text) });
    }
    await (
      await tx.dialect.passageWords()
    ).index(
      tx,
      rows.filter((row) => row.words.length > 0),
    );
  });
}

/** With its vectors. */
export function removePassage(db: Db, noun: string, subject: string): Promise<void> {
  return db.tx(async (tx) => {
    const row = await tx.get<{ id: number }>("select id from passages where noun = ? and subject = ?", [noun, subject]);
    if (!row) return;
    await (await tx.dialect.passageWords()).remove(tx, [row.id]);
    await tx.run("delete from passages where id = ?", [row.id]);
    await (await tx.dialect.vectors()).remove(tx, noun, subject);
  });
}

export async function passagesByIds(db: Db, ids: readonly number[]): Promise<Passage[]> {
  if (ids.length === 0) return [];
  return db.all<Passage>(
    `select id, noun, subject, scope, text from passages where id in (${ids.map(() => "?").join(", ")})`,
    ids,
  );
}

/** Those of the named scopes; all where none are named. */
export async function passagesBySubjects(
  db: Db,
  noun: string,
  subjects: readonly string[],
  scopes?: readonly string[],
): Promise<Passage[]> {
  if (subjects.length === 0) return [];
  const list = subjects.map(() => "?").join(", ");
  const seen = scopes === undefined ? "" : `and scope in (${scopes.map(() => "?").join(", ") || "null"})`;
  return db.all<Passage>(
    `select id, noun, subject, scope, text from passages where noun = ? and subject in (${list}) ${seen}`,
    [noun, ...subjects, ...(scopes ?? [])],
  );
}

/** A noun's subjects in the scopes, for a comparison that must not look beyond them. */
export async function subjectsInScopes(db: Db, noun: string, scopes: readonly string[]): Promise<string[]> {
  if (scopes.length === 0) return [];
  const rows = await db.all<{ subject: string }>(
    `select subject from passages where noun = ? and scope in (${scopes.map(() => "?").join(", ")})`,
    [noun, ...scopes],
  );
  return rows.map((row) => row.subject);
}

/** The condition under which the word index looks: this noun, and these scopes. */
export function withinPassages(noun: string, scopes: readonly string[] | undefined): Narrowed["within"] {
  const seen = scopes === undefined ? "" : ` and scope in (${scopes.map(() => "?").join(", ") || "null"})`;
  return {
    sql: `exists (select 1 from passages where passages.id = :id and noun = ?${seen})`,
    values: [noun, ...(scopes ?? [])],
  };
}

/** After a number, for who embeds what has no vector yet. */
export function passagesAfter(db: Db, after: number, limit: number): Promise<Passage[]> {
  return db.all<Passage>("select id, noun, subject, scope, text from passages where id > ? order by id limit ?", [
    after,
    limit,
  ]);
}
