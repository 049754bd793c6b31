import { OldhandError, errorMessage, systemErrorCode } from "../../lib/errors.ts";

/** SQLite's errors as messages for the user; an unknown error is a bug and stays unchanged. */
export function storeError(error: unknown, path: string): unknown {
  if (error instanceof OldhandError) return error;
  const text = `${systemErrorCode(error)} ${errorMessage(error)}`.toLowerCase();
  const known = causes.find((cause) => cause.when.test(text));
  return known ? new OldhandError(known.code, known.what(path), { hint: known.hint(path), cause: error }) : error;
}

const causes = [
  {
    when: /database is locked|database table is locked|sqlite_busy/,
    code: "store-locked",
    what: (path: string) => `the mind at ${path} is locked by another process`,
    hint: () => "wait for it to finish and try again; `oldhand doctor` shows who holds it",
  },
  {
    when: /no such table|vtable constructor failed|fts5: corrupt/,
    code: "store-corrupt",
    what: (path: string) => `the mind at ${path} is incomplete or damaged`,
    hint: () => "`oldhand doctor --fix` rebuilds what can be rebuilt",
  },
  {
    when: /malformed|not a database|sqlite_corrupt|sqlite_notadb/,
    code: "store-corrupt",
    what: (path: string) => `the mind at ${path} is damaged or is not an oldhand database; it was left as it is`,
    hint: () => "restore a backup (oldhand restore FILE), or move the file away and import again",
  },
  {
    when: /disk is full|database or disk is full|sqlite_full|enospc|disk i\/o error/,
    code: "store-full",
    what: (path: string) => `the disk is full: cannot write the mind at ${path}; nothing was changed`,
    hint: () => "free some disk space and try again",
  },
  {
    when: /readonly|read-only|eacces|erofs|eperm/,
    code: "store-readonly",
    what: (path: string) => `the mind at ${path} cannot be written`,
    hint: () => "check the owner and permissions of the folder, or choose another with --home",
  },
  {
    when: /unable to open|cantopen|eisdir|directory/,
    code: "config",
    what: (path: string) => `no database can be opened at ${path}`,
    hint: (path: string) => `check that ${path} is a file in a folder you can write, or choose another with --home`,
  },
] as const;
