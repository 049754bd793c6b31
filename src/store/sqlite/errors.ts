import { OldhandError, errorMessage, systemErrorCode } from "../../lib/errors.ts";

/** SQLite's errors as messages for the user; an unknown error is a bug and stays unchanged. */
export function storeError(error: unknown, path: string): unknown {
  if (error instanceof OldhandError) return error;
  const text = `${systemErrorCode(error)} ${errorMessage(error)}`.toLowerCase();
  const [, code, what = "", hint = ""] = causes.find(([when]) => when.test(text)) ?? [];
  if (code === undefined) return error;
  return new OldhandError(
    code,
    what.replace("%", () => path),
    { hint: hint.replace("%", () => path), cause: error },
  );
}

/** When, code, message and hint; `%` is the path. Short, because each hook loads it. */
const causes = [
  [
    /database (?:table )?is locked|sqlite_busy/,
    "store-locked",
    "the mind at % is locked by another process",
    "wait for it to finish; `oldhand doctor` shows who holds it",
  ],
  [
    /no such table|vtable constructor failed|fts5: corrupt/,
    "store-corrupt",
    "the mind at % is incomplete or damaged",
    "`oldhand doctor --fix` rebuilds what can be rebuilt",
  ],
  [
    /malformed|not a database|sqlite_corrupt|sqlite_notadb/,
    "store-corrupt",
    "the mind at % is damaged or is not an oldhand database; it was left as it is",
    "restore a backup (oldhand restore FILE), or move the file away and import again",
  ],
  [
    /disk is full|sqlite_full|enospc|disk i\/o error/,
    "store-full",
    "the disk is full: cannot write the mind at %; nothing was changed",
    "free some disk space and try again",
  ],
  [
    /readonly|read-only|eacces|erofs|eperm/,
    "store-readonly",
    "the mind at % cannot be written",
    "check the owner and permissions of the folder, or choose another with --home",
  ],
  [
    /unable to open|cantopen|eisdir|directory/,
    "config",
    "no database can be opened at %",
    "check that % is a file in a folder you can write, or choose another with --home",
  ],
] as const;
