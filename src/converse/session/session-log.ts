import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { redactValue } from "../../domain/redact/redact.ts";
import { DAY } from "../../lib/clock.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { replacePrivateFile } from "../../lib/replace-file.ts";
import type { StoredChatEntry } from "../../store/chat/chat-entries.ts";
import type { StoredChatSession } from "../../store/chat/chat-sessions.ts";

/** The JSONL file of a session: a line about the session, then one for each entry. */
export function sessionLogPath(home: string, session: string): string {
  return join(home, FOLDER, `${session}.jsonl`);
}

const FOLDER = "sessions";

/**
 * The store has the entry already. If the file cannot be written, the turn goes on: the file is made again from the store when
 * the session is opened.
 */
export function appendToLog(home: string, session: StoredChatSession, entry: StoredChatEntry): void {
  const path = sessionLogPath(home, session.id);
  try {
    if (entry.seq === 1) {
      makeFolder(join(home, FOLDER), 0o700);
      appendFileSync(path, headLine(session), { mode: 0o600 });
    }
    appendFileSync(path, entryLine(entry), { mode: 0o600 });
  } catch {
    rmSync(path, { force: true });
  }
}

/** For developers: why the provider counts a request anew. The file alone has this line; the store does not. */
export function logCacheBreak(home: string, session: string, found: object): void {
  const path = sessionLogPath(home, session);
  if (existsSync(path)) appendFileSync(path, `${JSON.stringify(redactValue({ kind: "cache-break", ...found }))}\n`);
}

/** Writes the file again if it is missing, or does not end with the last entry: the process died in between. */
export function rebuildLog(home: string, session: StoredChatSession, entries: readonly StoredChatEntry[]): void {
  const path = sessionLogPath(home, session.id);
  const last = entries.at(-1);
  if (last === undefined || (existsSync(path) && readFileSync(path, "utf8").endsWith(`\n${entryLine(last)}`))) return;
  replacePrivateFile(path, headLine(session) + entries.map(entryLine).join(""));
  if (process.platform !== "win32") chmodSync(join(home, FOLDER), 0o700);
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
