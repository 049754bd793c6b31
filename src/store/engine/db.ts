/** What a column can hold on both stores. */
export type SqlValue = string | number | null | Uint8Array;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * One database, whichever it is. SQL is written once, in lower case, with `?` for values, in the
 * dialect both understand; what they do not share is a field of `dialect` or a pair of files with
 * the same name under `sqlite/` and `postgres/`.
 */
export interface Db {
  readonly dialect: Dialect;
  all<T = SqlRow>(sql: string, values?: readonly SqlValue[]): Promise<T[]>;
  get<T = SqlRow>(sql: string, values?: readonly SqlValue[]): Promise<T | undefined>;
  /** How many rows were changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>;
  /** Many rows of one shape, in one transaction; `tail` is what follows the values (`on conflict …`). */
  insertMany(into: Insertion, rows: readonly (readonly SqlValue[])[]): Promise<number>;
  /** All or nothing. A transaction inside a transaction is a savepoint. Writers never deadlock on upgrade: write locks are taken at the start. */
  tx<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** A consistent view for long reads, while others write. */
  snapshot<T>(read: (db: Db) => Promise<T>): Promise<T>;
  /** Rows one batch at a time, as of one moment, so that a million of them need no memory. */
  stream(sql: string, values?: readonly SqlValue[]): AsyncIterable<SqlRow>;
  close(): Promise<void>;
}

export interface Insertion {
  readonly table: string;
  readonly columns: readonly string[];
  readonly tail?: string;
}

/** The whole difference between the two stores that SQL above them needs to know. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Lets claimers pass over rows another one is taking. */
  readonly skipLocked: string;
  /** Makes the journal's writers queue, so that its numbers are in the order of its changes. */
  readonly lockJournal: string | null;
  /** The same for notes, whose bound is over all of a space. */
  readonly lockNotes: string | null;
  /** The same for what was shown, where it must be known what another hook shows at this moment. */
  readonly lockShown: string | null;
  /** Makes those who reserve and settle money queue, so that no two of them count on the same amount. Ends with the transaction. */
  readonly lockMoney: string | null;
  /** Every event up to this number is visible to all: nothing with a smaller number can still appear. */
  settledEvents(db: Db): Promise<number>;
  /** After rows came with numbers of their own, new ones go on behind them. */
  continueNumbers(db: Db, tables: readonly string[]): Promise<void>;
  /** Those of events. Loaded, as the next two, by who searches or digests: a hook never does. */
  words(): Promise<WordIndex>;
  /** Those of passages. */
  passageWords(): Promise<WordIndex>;
  /** Loaded by who mends what can be made anew from the rest. */
  repair(): Promise<StoreRepair>;
  vectors(): Promise<VectorStore>;
  /** Loaded by who forgets. */
  scrub(): Promise<StoreScrub>;
}

/**
 * An index of words, by the means of each store. The words are those of `domain/words.ts` on both, so that they find the
 * same; how rows are ranked is not decided here.
 */
export interface WordIndex {
  index(db: Db, rows: readonly { readonly id: number; readonly words: readonly string[] }[]): Promise<void>;
  /** In how many rows each word is; those in none are left out. */
  counts(db: Db, words: readonly string[]): Promise<ReadonlyMap<string, number>>;
  totals(db: Db): Promise<{ readonly rows: number; readonly words: number }>;
  /** Rows with any of the words, likeliest first. Costs what the words occur. */
  any(db: Db, words: readonly WeightedWord[], options: WordQueryOptions): Promise<readonly number[]>;
  /** Rows with all of the words, newest first. */
  all(db: Db, words: readonly string[], options: WordQueryOptions): Promise<readonly number[]>;
  remove(db: Db, ids: readonly number[]): Promise<void>;
  drop(db: Db): Promise<void>;
  /** Makes what is missing of its tables; true when something was. */
  mend(db: Db): Promise<boolean>;
}

export interface WeightedWord {
  readonly word: string;
  readonly weight: number;
}

export interface WordQueryOptions {
  readonly limit: number;
  /** A condition in which `:id` stands for the row's number. */
  readonly within?: { readonly sql: string; readonly values: readonly SqlValue[] } | undefined;
}

export interface StoreRepair {
  /** What is wrong with the word index; null when it is sound. */
  wordFault(db: Db): Promise<string | null>;
  /** An empty one in its place, whatever is left of it. */
  remakeWords(db: Db): Promise<void>;
  /** The tables that are there. */
  tableNames(db: Db): Promise<readonly string[]>;
  /** Every index from its table. */
  reindex(db: Db): Promise<void>;
}

/**
 * A deleted row is no longer read, but its bytes stay in the store's files for a while. This takes them out. Outside of any
 * transaction; gives back why something still has to wait, in words, or null.
 */
export interface StoreScrub {
  /** Of these tables. Costs what they hold. */
  tables(db: Db, names: readonly string[]): Promise<string | null>;
  /** Of the whole mind, given all its tables. */
  everything(db: Db, names: readonly string[]): Promise<string | null>;
}

/** Search by meaning: for each subject and model one vector, of which only the direction counts. */
export interface VectorStore {
  /** A subject's earlier vector of the same model is replaced. */
  put(db: Db, rows: readonly VectorRow[]): Promise<void>;
  /** The score is the cosine, from -1 to 1. With `subjects` the best are sought among those only. */
  compare(
    db: Db,
    query: Int8Array,
    options: {
      readonly noun: string;
      readonly model: string;
      readonly k: number;
      readonly subjects?: readonly string[] | undefined;
    },
  ): Promise<VectorComparison>;
  /** Which of these have no vector of the model yet. */
  missing(
    db: Db,
    of: { readonly noun: string; readonly model: string },
    subjects: readonly string[],
  ): Promise<string[]>;
  remove(db: Db, noun: string, subjects: readonly string[]): Promise<void>;
}

export interface VectorRow {
  readonly noun: string;
  readonly subject: string;
  readonly model: string;
  readonly dims: number;
  readonly vector: Int8Array;
}

export interface VectorComparison {
  /** Best first. */
  readonly best: readonly NearVector[];
  /** More of them, or the best of some. */
  nearest(k: number, subjects?: readonly string[]): Promise<readonly NearVector[]>;
  /** The scores of others, near or not; those without a vector are left out. */
  of(subjects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How near the ten nearest of each are to it on average, among all vectors or a sample of them. */
  crowding(subjects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Over all vectors, or a sample of them. */
  readonly mean: number;
  readonly deviation: number;
}

export interface NearVector {
  readonly subject: string;
  readonly score: number;
}

/** Tells when something was committed by anyone, so that views can refresh. */
export interface StoreWatch {
  close(): Promise<void>;
}

export interface Store {
  readonly db: Db;
  readonly kind: "sqlite" | "postgres";
  /** Where it is, without credentials. */
  readonly location: string;
  watch(onChange: () => void): Promise<StoreWatch>;
  /** Problems of the database file or server, in words; empty when it is sound. */
  check(): Promise<readonly string[]>;
  /** For a process that ends right now: only what others would miss. Closing tidies up files, which costs a hook more than its work. */
  leave(): Promise<void>;
  close(): Promise<void>;
}
