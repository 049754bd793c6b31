/** The values that columns of both databases can hold. */
export type SqlValue = string | number | null | Uint8Array;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * One database of either kind. SQL is written once, in lower case, with `?` for values, in the subset that
 * both understand. Differences are a field of `dialect`, or two files with the same name under `sqlite/` and
 * `postgres/`.
 */
export interface Db {
  readonly dialect: Dialect;
  /** The name of this machine in a mind that machines may share; undefined if the mind is a file. */
  readonly machine?: string | undefined;
  all<T = SqlRow>(sql: string, values?: readonly SqlValue[]): Promise<T[]>;
  get<T = SqlRow>(sql: string, values?: readonly SqlValue[]): Promise<T | undefined>;
  /** Returns the number of changed rows. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>;
  /** Inserts many rows in one transaction; `tail` follows the values (`on conflict …`). */
  insertMany(into: Insertion, rows: readonly (readonly SqlValue[])[]): Promise<number>;
  /** All or nothing; nested ones are savepoints. Locks for writing at the start, so that writers never deadlock. */
  tx<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** A consistent view for long reads while others write. */
  snapshot<T>(read: (db: Db) => Promise<T>): Promise<T>;
  /** Rows in batches, as of one moment, so that a million rows need little memory. */
  stream(sql: string, values?: readonly SqlValue[]): AsyncIterable<SqlRow>;
  close(): Promise<void>;
}

export interface Insertion {
  readonly table: string;
  readonly columns: readonly string[];
  readonly tail?: string;
}

/** All differences between the databases that SQL above them must know. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Makes claimers skip rows that another one is taking. */
  readonly skipLocked: string;
  /** Serialises writers of the journal, so that its ids are in the order of its changes. */
  readonly lockJournal: string | null;
  /** The same for `kv`, whose size limit applies to a whole space. */
  readonly lockKvTable: string | null;
  /** The same for `shown`, where a hook must see what another one shows at this moment. */
  readonly lockShown: string | null;
  /** Serialises reservations and settlements, so that no two of them use the same amount. Ends with the transaction. */
  readonly lockMoney: string | null;
  /** All events up to this id are visible: none with a smaller id can still appear. */
  settledEvents(db: Db): Promise<number>;
  /** Continues the id sequences after rows were inserted with explicit ids. */
  continueNumbers(db: Db, tables: readonly string[]): Promise<void>;
  /** The word index of events. Like the next two, loaded only for search and digest, never by a hook. */
  words(): Promise<WordIndex>;
  /** The word index of passages. */
  passageWords(): Promise<WordIndex>;
  /** Loaded only to repair what can be recomputed. */
  repair(): Promise<StoreRepair>;
  vectors(): Promise<VectorStore>;
  /** Loaded only to forget. */
  scrub(): Promise<StoreScrub>;
}

/**
 * A word index, implemented per database. Both use the words of `domain/words.ts`, so that they find the same
 * rows. Ranking is not decided here.
 */
export interface WordIndex {
  index(db: Db, rows: readonly { readonly id: number; readonly words: readonly string[] }[]): Promise<void>;
  /** The number of rows with each word; words in no row are left out. */
  counts(db: Db, words: readonly string[]): Promise<ReadonlyMap<string, number>>;
  totals(db: Db): Promise<{ readonly rows: number; readonly words: number }>;
  /** Rows with any of the words, most likely first. The cost depends on how often the words occur. */
  any(db: Db, words: readonly WeightedWord[], options: WordQueryOptions): Promise<readonly number[]>;
  /** Rows with all of the words, newest first. */
  all(db: Db, words: readonly string[], options: WordQueryOptions): Promise<readonly number[]>;
  remove(db: Db, ids: readonly number[]): Promise<void>;
  drop(db: Db): Promise<void>;
  /** Creates missing tables; true if any was missing. */
  mend(db: Db): Promise<boolean>;
}

export interface WeightedWord {
  readonly word: string;
  readonly weight: number;
}

export interface WordQueryOptions {
  readonly limit: number;
  /** A condition in which `:id` stands for the row's id. */
  readonly within?: { readonly sql: string; readonly values: readonly SqlValue[] } | undefined;
}

export interface StoreRepair {
  /** What is wrong with the word index; null if nothing. */
  wordFault(db: Db): Promise<string | null>;
  /** Replaces it by an empty one, in whatever state it is. */
  remakeWords(db: Db): Promise<void>;
  /** What is wrong with the queue's own tables, and what to do; null if nothing. */
  queueFault(db: Db): Promise<{ readonly what: string; readonly hint: string } | null>;
  /** Deletes the queued work that is not in tables of the mind. */
  clearQueue(tx: Db): Promise<void>;
  /** The existing tables. */
  tableNames(db: Db): Promise<readonly string[]>;
  /** Rebuilds every index from its table. */
  reindex(db: Db): Promise<void>;
}

/**
 * Removes the bytes of deleted rows from the database files, where they would stay for a while. Call it
 * outside of any transaction. Returns why something still has to wait, or null.
 */
export interface StoreScrub {
  /** Only these tables. The cost depends on their size. */
  tables(db: Db, names: readonly string[]): Promise<string | null>;
  /** The whole mind, given all its tables. */
  everything(db: Db, names: readonly string[]): Promise<string | null>;
}

/** Search by meaning: one vector per subject and model; only its direction counts. */
export interface VectorStore {
  /** Replaces a subject's earlier vector of the same model. */
  put(db: Db, rows: readonly VectorRow[]): Promise<void>;
  /** The score is the cosine, from -1 to 1. With `subjects`, only those are compared. */
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
  /** The subjects that have no vector of this model. */
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
  /** More of them, or the best among `subjects`. */
  nearest(k: number, subjects?: readonly string[]): Promise<readonly NearVector[]>;
  /** The scores of any subjects; those without a vector are left out. */
  of(subjects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The average score of the ten nearest neighbours of each subject, among all vectors or a sample. */
  crowding(subjects: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Over all vectors, or a sample. */
  readonly mean: number;
  readonly deviation: number;
}

export interface NearVector {
  readonly subject: string;
  readonly score: number;
}

/** Calls back after any process committed, so that views can refresh. */
export interface StoreWatch {
  close(): Promise<void>;
}

/** How far away a server is. */
export interface ServerReach {
  /** To make a connection, with its password. */
  readonly connectMs: number;
  /** For the smallest statement. */
  readonly roundTripMs: number;
}

export interface Store {
  readonly db: Db;
  readonly kind: "sqlite" | "postgres";
  /** Its location, without credentials. */
  readonly location: string;
  watch(onChange: () => void): Promise<StoreWatch>;
  /** Problems of the database file or server; empty if there are none. */
  check(): Promise<readonly string[]>;
  /** How far away the server is; null for a file. */
  measureReach(): Promise<ServerReach | null>;
  /** Aborts when the server refuses the login, and this process cannot learn another one. The reason is the error. */
  readonly refused?: AbortSignal;
  /** For a process that ends now: does only what others depend on. Closing would cost more than a hook's work. */
  leave(): Promise<void>;
  close(): Promise<void>;
}
