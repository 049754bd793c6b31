import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openContext } from "../src/mind.ts";
import { connect, type Connection } from "../src/store/sqlite/engine.ts";

/** A problem with a home that a hook meets. */
export interface Fault {
  readonly name: string;
  /** Whether every event is stored in the end, or cannot even be counted as lost. */
  readonly events: "stored" | "uncounted";
  /** Why the fault cannot be made on this machine; null if it can. */
  impossible(): string | null;
  /** Breaks a home that is in use. */
  make(home: string): Promise<BrokenHome>;
}

/** How to start a hook while the fault lasts, and how to repair the home. */
export interface BrokenHome {
  /** Words that precede the command. */
  readonly before: readonly string[];
  /** The user id of the process. Default: our own. */
  readonly uid?: number;
  mend(): void;
}

const nothing = (): null => null;
const inPlace = (mend: () => void): BrokenHome => ({ before: [], mend });
const databaseOf = (home: string) => join(home, "mind.db");

export const faults: readonly Fault[] = [
  {
    name: "locked by a writer",
    events: "stored",
    impossible: nothing,
    make: async (home) => holdLock(connect(databaseOf(home)), "begin immediate; insert into meta values ('held', '1')"),
  },
  {
    name: "locked against readers too",
    events: "stored",
    impossible: nothing,
    make: async (home) =>
      holdLock(
        connect(databaseOf(home)),
        "pragma locking_mode = exclusive; begin exclusive; insert into meta values ('held', '1')",
      ),
  },
  {
    name: "database gone",
    events: "stored",
    impossible: nothing,
    make: async (home) => {
      for (const end of ["", "-wal", "-shm"]) rmSync(`${databaseOf(home)}${end}`, { force: true });
      return inPlace(() => {});
    },
  },
  {
    name: "home gone",
    events: "stored",
    impossible: nothing,
    make: async (home) => {
      rmSync(home, { recursive: true, force: true });
      return inPlace(() => {});
    },
  },
  {
    name: "corrupt",
    events: "stored",
    impossible: nothing,
    make: async (home) =>
      replaceDatabase(home, () => Buffer.alloc(50_000, "these are not the bytes you are looking for ")),
  },
  {
    name: "header damaged",
    events: "stored",
    impossible: nothing,
    make: async (home) => replaceDatabase(home, (good) => Buffer.concat([Buffer.alloc(100, 0xaa), good.subarray(100)])),
  },
  {
    name: "a folder in its place",
    events: "stored",
    impossible: nothing,
    make: async (home) => {
      const good = settleDatabase(home);
      rmSync(databaseOf(home));
      mkdirSync(databaseOf(home));
      return inPlace(() => {
        rmSync(databaseOf(home), { recursive: true });
        writeFileSync(databaseOf(home), good, { mode: 0o600 });
      });
    },
  },
  {
    name: "from the future",
    events: "stored",
    impossible: nothing,
    make: async (home) => {
      const before = setSchemaVersion(home, 999);
      return inPlace(() => void setSchemaVersion(home, before));
    },
  },
  {
    name: "disk full, room for a little",
    events: "stored",
    impossible: needsShell,
    make: async (home) => ({ before: limitFileSize(16), mend: settledAgain(home) }),
  },
  {
    name: "disk full",
    events: "uncounted",
    impossible: needsShell,
    make: async (home) => ({ before: limitFileSize(0), mend: settledAgain(home) }),
  },
  {
    name: "home read-only",
    events: "uncounted",
    impossible: needsShell,
    make: async (home) => {
      settleDatabase(home);
      const open = statSync(dirname(home)).mode;
      // Root may write everywhere, so the hook runs as another user.
      const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {};
      chmodSync(dirname(home), open | 0o055);
      chmodSync(home, 0o555);
      return { before: [], ...uid, mend: () => chmodSync(home, 0o700) };
    },
  },
];

/**
 * Returns a function that creates homes as copies of one mind. On Node 20 a closed connection lives on until its
 * statements are collected and would hold a lock; a copy has never been opened.
 */
export async function makeHomeCopier(template: string): Promise<(home: string) => void> {
  await (await openContext({ home: template, env: {} })).close();
  const mind = settleDatabase(template);
  return (home) => {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(databaseOf(home), mind, { mode: 0o600 });
  };
}

function holdLock(connection: Connection, sql: string): BrokenHome {
  connection.exec(sql);
  return inPlace(() => {
    connection.exec("rollback");
    connection.close();
  });
}

function replaceDatabase(home: string, by: (good: Buffer) => Buffer): BrokenHome {
  const good = settleDatabase(home);
  writeFileSync(databaseOf(home), by(good));
  return inPlace(() => {
    for (const end of ["-wal", "-shm"]) rmSync(`${databaseOf(home)}${end}`, { force: true });
    writeFileSync(databaseOf(home), good);
  });
}

/** Moves the write-ahead log into the database file and returns the file. */
function settleDatabase(home: string): Buffer {
  const connection = connect(databaseOf(home));
  connection.exec("pragma wal_checkpoint(truncate)");
  connection.close();
  return readFileSync(databaseOf(home));
}

function setSchemaVersion(home: string, version: number): number {
  const connection = connect(databaseOf(home));
  const row = connection.prepare("pragma user_version").get() as { user_version: number };
  connection.exec(`pragma user_version = ${version}; pragma wal_checkpoint(truncate)`);
  connection.close();
  return row.user_version;
}

/** Limits the size of files, in blocks of 512 bytes: for a process the same as a full disk. */
function limitFileSize(blocks: number): readonly string[] {
  return [SHELL, "-c", `ulimit -f ${blocks}; exec "$@"`, "limited"];
}

const SHELL = "/bin/sh";

function settledAgain(home: string): () => void {
  settleDatabase(home);
  return () => {};
}

function needsShell(): string | null {
  return existsSync(SHELL) ? null : "there is no shell that can limit a process";
}
