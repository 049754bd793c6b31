import {
  countPatterns,
  type LedgerEntry,
  type Expectation,
  type Mistake,
  type PatternCount,
  type Win,
} from "../../domain/ledger/ledger.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import type { Noun } from "./noun.ts";

const sharedColumns = [
  "id",
  "at",
  "what",
  "why",
  "pattern",
  "prediction",
  "outcome",
  "surprise",
  "origin",
  "session",
  "workspace",
];
const mistakeColumns = [...sharedColumns, "should_have", "severity", "signal"];

/** The ledger grouped by pattern, for the miner; spellings of one pattern are counted together. */
export async function readPatternCounts(db: Db): Promise<readonly PatternCount[]> {
  return countPatterns(await listMistakes(db), await listWins(db));
}

/** Oldest first. */
export async function listMistakes(db: Db): Promise<Mistake[]> {
  const rows = await db.all<MistakeRow>(`select ${mistakeColumns.join(", ")} from mistakes order by at, id`);
  return rows.map(toMistake);
}

/** Oldest first. */
export async function listWins(db: Db): Promise<Win[]> {
  const rows = await db.all<EntryRow>(`select ${sharedColumns.join(", ")} from wins order by at, id`);
  return rows.map(toEntry);
}

/** Newest first. */
export async function listRecentMistakes(db: Db, limit: number): Promise<Mistake[]> {
  const sql = `select ${mistakeColumns.join(", ")} from mistakes order by at desc, id limit ?`;
  return (await db.all<MistakeRow>(sql, [limit])).map(toMistake);
}

/** Newest first. */
export async function listRecentWins(db: Db, limit: number): Promise<Win[]> {
  const rows = await db.all<EntryRow>(`select ${sharedColumns.join(", ")} from wins order by at desc, id limit ?`, [
    limit,
  ]);
  return rows.map(toEntry);
}

/** Only the journal calls these: the ledger never changes without an entry. */
export const mistakeNoun: Noun<Mistake> = ledgerNoun<Mistake>("mistake", "mistakes", {
  columns: mistakeColumns,
  list: listMistakes,
  get: async (db, id) => {
    const row = await db.get<MistakeRow>(`select ${mistakeColumns.join(", ")} from mistakes where id = ?`, [id]);
    return row ? toMistake(row) : null;
  },
  values: (mistake) => [...entryValues(mistake), mistake.shouldHave, mistake.severity, mistake.signal],
});

export const winNoun: Noun<Win> = ledgerNoun<Win>("win", "wins", {
  columns: sharedColumns,
  list: listWins,
  get: async (db, id) => {
    const row = await db.get<EntryRow>(`select ${sharedColumns.join(", ")} from wins where id = ?`, [id]);
    return row ? toEntry(row) : null;
  },
  values: entryValues,
});

interface LedgerTable<T> {
  readonly columns: readonly string[];
  list(db: Db): Promise<readonly T[]>;
  get(db: Db, id: string): Promise<T | null>;
  values(entry: T): readonly SqlValue[];
}

function ledgerNoun<T extends LedgerEntry>(name: string, table: string, of: LedgerTable<T>): Noun<T> {
  return {
    name,
    read: of.get,
    write: async (db, id, entry) => {
      // Nothing refers to parts of an entry, so a change replaces the row.
      await db.run(`delete from ${table} where id = ?`, [id]);
      if (entry === null) return;
      await db.insertMany({ table, columns: of.columns }, [of.values({ ...entry, id })]);
    },
    all: of.list,
    dependants: async () => [],
  };
}

interface EntryRow {
  id: string;
  at: number;
  what: string;
  why: string;
  pattern: string;
  prediction: string | null;
  outcome: string | null;
  surprise: number | null;
  origin: string;
  session: string | null;
  workspace: string | null;
}

interface MistakeRow extends EntryRow {
  should_have: string;
  severity: string;
  signal: string;
}

function entryValues(entry: LedgerEntry): readonly SqlValue[] {
  const { prediction = null, outcome = null, surprise = null } = entry.expectation ?? {};
  return [
    entry.id,
    entry.at,
    entry.what,
    entry.why,
    entry.pattern,
    prediction,
    outcome,
    surprise,
    entry.origin,
    entry.session,
    entry.workspace,
  ];
}

function toEntry(row: EntryRow): LedgerEntry {
  return {
    id: row.id,
    at: row.at,
    what: row.what,
    why: row.why,
    pattern: row.pattern,
    expectation: toExpectation(row),
    origin: row.origin as LedgerEntry["origin"],
    session: row.session,
    workspace: row.workspace,
  };
}

function toMistake(row: MistakeRow): Mistake {
  return {
    ...toEntry(row),
    shouldHave: row.should_have,
    severity: row.severity as Mistake["severity"],
    signal: row.signal,
  };
}

function toExpectation({ prediction, outcome, surprise }: EntryRow): Expectation | null {
  return prediction === null || outcome === null || surprise === null ? null : { prediction, outcome, surprise };
}
