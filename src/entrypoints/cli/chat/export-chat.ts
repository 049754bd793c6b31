import { closeSync, openSync, writeFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import type { Context } from "../../../context.ts";
import { textOf } from "../../../converse/turn/active-entries.ts";
import type { ChatSession } from "../../../converse/turn/chat-session.ts";
import type { Entry } from "../../../converse/turn/entry.ts";
import { OldhandError, systemErrorCode } from "../../../lib/errors.ts";
import { listChatEntries, type StoredChatEntry } from "../../../store/chat/chat-entries.ts";
import { typedPart } from "../../../domain/turn/message-data.ts";

/** Writes a session to a new file, as stored: without secrets. Returns the file's path. An existing file is not replaced. */
export async function exportChat(ctx: Pick<Context, "db">, session: ChatSession, typed: string): Promise<string> {
  const entries = await listChatEntries(ctx.db, session.id);
  if (entries.length === 0) throw new OldhandError("usage", "there is nothing to export yet");
  const name = typed === "" ? `${session.id}.md` : typed;
  const format = extname(name).toLowerCase();
  if (format !== ".md" && format !== ".jsonl")
    throw new OldhandError("usage", `${name} is neither .md nor .jsonl`, { hint: "/export notes.md" });
  const text = format === ".md" ? formatMarkdown(session, entries) : entries.map(formatLine).join("");
  const path = resolve(session.cwd, name);
  const file = typed === "" ? openFree(path) : openNew(path);
  try {
    writeFileSync(file.fd, text);
  } finally {
    closeSync(file.fd);
  }
  return file.path;
}

/** True for the name that an export of the session gets if none is typed. */
export function isExportOf({ id }: Pick<ChatSession, "id">, path: string): boolean {
  return basename(path).startsWith(id) && /^(?:-\d+)?\.md$/.test(basename(path).slice(id.length));
}

/** The name with a number, if a file of that name is there. */
function openFree(path: string): { readonly fd: number; readonly path: string } {
  const [folder, ending] = [join(path, ".."), extname(path)];
  for (let count = 1; count < 1_000; count++) {
    const name = `${basename(path, ending)}${count === 1 ? "" : `-${count}`}${ending}`;
    const fd = tryOpen(join(folder, name));
    if (fd !== null) return { fd, path: join(folder, name) };
  }
  throw new OldhandError("conflict", `too many exports are in ${folder}`, { hint: "/export FILE" });
}

function openNew(path: string): { readonly fd: number; readonly path: string } {
  const fd = tryOpen(path);
  if (fd === null) throw new OldhandError("conflict", `${path} exists already`, { hint: "name another file" });
  return { fd, path };
}

/** Null if a file of that name is there. */
function tryOpen(path: string): number | null {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return null;
    throw new OldhandError("input", `${path} cannot be written (${systemErrorCode(error)})`);
  }
}

function formatLine({ seq, at, kind, data }: StoredChatEntry): string {
  return `${JSON.stringify({ seq, at, kind, ...(JSON.parse(data) as object) })}\n`;
}

function formatMarkdown(session: ChatSession, stored: readonly StoredChatEntry[]): string {
  const entries = stored.map(
    ({ data, kind, ...base }) => ({ ...(JSON.parse(data) as object), ...base, kind }) as Entry,
  );
  const parts = entries.flatMap(formatEntry);
  return `${[`# ${session.title === "" ? session.id : session.title}`, `Session ${session.id}`, ...parts].join("\n\n")}\n`;
}

function formatEntry(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case "user":
      return [`## Person`, typedPart(entry.text)];
    case "assistant": {
      const text = textOf(entry.message).trim();
      return text === "" ? [] : [`## ${entry.model}`, text];
    }
    case "tool":
      return [`### Tool ${entry.name}${entry.ok ? "" : " (failed)"}`, fence(entry.diff ?? entry.text)];
    case "compaction":
      return [`## Summary`, entry.summary];
    case "undo":
      return [`(Turn ${entry.turn} was taken back.)`];
    case "turn-end":
      return entry.reason === "done" ? [] : [`(The turn ended: ${entry.reason}.)`];
    default:
      return [];
  }
}

/** A fence that the text cannot close. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}\n${text.trimEnd()}\n${ticks}`;
}
