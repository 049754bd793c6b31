import type { Context } from "../../context.ts";
import { titleFrom } from "../../domain/event/title.ts";
import { typedPart } from "../../domain/turn/message-data.ts";
import { isRecord } from "../../lib/json.ts";
import { oneLine } from "../../lib/text.ts";
import type { ChatPart } from "../../models/chat/chat.ts";
import { appendChatEntry, listChatEntries, type StoredChatEntry } from "../../store/chat/chat-entries.ts";
import type { StoredChatSession } from "../../store/chat/chat-sessions.ts";
import type { Entry, EntryDetails } from "../turn/entry.ts";
import type { EntryLog, Redactor } from "../turn/turn-parts.ts";
import { appendToLog, rebuildLog } from "./session-log.ts";

type LogContext = Pick<Context, "db" | "config" | "clock">;

/** Of a session that is stored, or of a new one: its row is written with its first entry. */
export async function openEntryLog(ctx: LogContext, of: StoredChatSession, redact: Redactor): Promise<EntryLog> {
  const stored = of.entries === 0 ? [] : await listChatEntries(ctx.db, of.id);
  const entries = stored.map(toEntry);
  if (stored.length > 0) rebuildLog(ctx.config.home, of, stored);
  let session = of;
  let last: Promise<unknown> = Promise.resolve();
  const append = async (details: EntryDetails): Promise<Entry> => {
    const base = { session: of.id, seq: entries.length + 1, at: ctx.clock.now() };
    if (details.kind === "mode") session = { ...session, mode: details.mode };
    if (details.kind === "model") session = { ...session, model: details.model };
    if (details.kind === "user" && session.title === "")
      session = { ...session, title: await composeTitle(details.text, redact) };
    const entry: Entry = { ...base, ...details };
    const { kind, ...data } = await withoutSecrets(details, redact);
    const row: StoredChatEntry = { ...base, kind, data: JSON.stringify(data) };
    await appendChatEntry(ctx.db, { ...session, entries: base.seq }, row);
    entries.push(entry);
    appendToLog(ctx.config.home, session, row);
    return entry;
  };
  return {
    session: () => session,
    preset: (fields) => {
      session = { ...session, ...fields };
    },
    entries: () => entries,
    append: (details) => {
      const next = last.then(() => append(details));
      last = next.catch(() => {});
      return next;
    },
  };
}

export function toEntry({ session, seq, at, kind, data }: StoredChatEntry): Entry {
  const details: unknown = JSON.parse(data);
  if (!isRecord(details)) throw new Error(`entry ${seq} of ${session} is damaged`);
  // Not copied: a session may have thousands of entries.
  return Object.assign(details, { kind, session, seq, at }) as unknown as Entry;
}

/** Ids and signatures are no secrets, and must stay as they are. */
async function withoutSecrets(details: EntryDetails, redact: Redactor): Promise<EntryDetails> {
  const clean = await redact(details);
  if (clean.kind === "system" && details.kind === "system") return { ...clean, hash: details.hash };
  if (clean.kind === "tool" && details.kind === "tool") return { ...clean, id: details.id };
  if (clean.kind !== "assistant" || details.kind !== "assistant") return clean;
  const parts = await Promise.all(details.message.parts.map((part) => cleanPart(part, redact)));
  return { ...clean, call: details.call, message: { ...details.message, parts: parts.flat() } };
}

/** A signature holds for the exact text: reasoning with a secret in it goes as a whole. */
async function cleanPart(part: ChatPart, redact: Redactor): Promise<readonly ChatPart[]> {
  if (part.kind === "reasoning") return (await redact(part.text)) === part.text ? [part] : [];
  if (part.kind !== "tool-call") return [await redact(part)];
  return [{ ...part, input: await redact(part.input) }];
}

async function composeTitle(message: string, redact: Redactor): Promise<string> {
  const typed = await redact(typedPart(message));
  return oneLine(titleFrom(typed) ?? typed, 80);
}
