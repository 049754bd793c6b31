import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { redactValue } from "../../domain/redact/redact.ts";
import { DAY } from "../../lib/clock.ts";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { replacePrivateFile } from "../../lib/replace-file.ts";
import type { StoredChatEntry } from "../../store/chat/chat-entries.ts";
import type { StoredChatSession } from "../../store/chat/chat-sessions.ts";
import type { CacheBreak } from "../compaction/find-cache-break.ts";

/** The JSONL file of a session: a line about the session, then one for each entry. */
export function sessionLogPath(home: string, session: string): string {
  return join(home, FOLDER, `${session}.jsonl`);
}

const FOLDER = "sessions";

/** The store has the entry already. */
export function appendToLog(home: string, session: StoredChatSession, entry: StoredChatEntry): void {
  tryToWrite(() => {
    const path = sessionLogPath(home, session.id);
    if (entry.seq === 1) {
      makeFolder(join(home, FOLDER), 0o700);
      appendFileSync(path, headLine(session), { mode: 0o600 });
    }
    appendFileSync(path, entryLine(entry), { mode: 0o600 });
  });
}

/** For developers: why the provider counts a request anew. The file alone has this line; the store does not. */
export function logCacheBreak(home: string, session: string, { kind: what, ...found }: CacheBreak): void {
  tryToWrite(() => {
    const path = sessionLogPath(home, session);
    const line = `${JSON.stringify(redactValue({ kind: CACHE_BREAK, what, ...found }))}\n`;
    if (existsSync(path)) appendFileSync(path, line, { mode: 0o600 });
  });
}

const CACHE_BREAK = "cache-break";

/** Writes the file again if it does not have all entries: a process died, or could not write it. */
export function rebuildLog(home: string, session: StoredChatSession, entries: readonly StoredChatEntry[]): void {
  tryToWrite(() => {
    const path = sessionLogPath(home, session.id);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const last = entries.at(-1);
    const isWhole = last !== undefined && text.endsWith(`\n${entryLine(last)}`);
    const lines = text.split("\n").filter((line) => !line.startsWith(`{"kind":"${CACHE_BREAK}"`));
    if (isWhole && lines.length === entries.length + 2) return;
    makeFolder(join(home, FOLDER), 0o700);
    replacePrivateFile(path, headLine(session) + entries.map(entryLine).join(""));
  });
}

/** The log is a copy. If it cannot be written, the session goes on, and the file is made again when it is opened. */
function tryToWrite(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof OldhandError) && systemErrorCode(error) === "") throw error;
  }
}

/** Removes the files of sessions that were not used for so many days. The store keeps their entries. */
export function pruneLogs(home: string, { now, days }: { readonly now: number; readonly days: number }): number {
  return removeLogs(home, (path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - days * DAY);
}

/** Removes the files of sessions that the store no longer has. */
export function removeOrphanLogs(home: string, sessions: ReadonlySet<string>): number {
  return removeLogs(home, (path) => !sessions.has(basename(path, ".jsonl")));
}

function removeLogs(home: string, isDue: (path: string) => boolean): number {
  const folder = join(home, FOLDER);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return 0;
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const due = files.map((name) => join(folder, name)).filter(isDue);
  for (const path of due) rmSync(path, { force: true });
  return due.length;
}

function headLine({ id, at, title, cwd, workspace, parent }: StoredChatSession): string {
  return `${JSON.stringify({ kind: "session", id, at, title, cwd, workspace, parent })}\n`;
}

function entryLine({ seq, at, kind, data }: StoredChatEntry): string {
  return `${JSON.stringify({ seq, at, kind, ...(JSON.parse(data) as object) })}\n`;
}
