import { join } from "node:path";
import type { Context } from "../../context.ts";
import { owner } from "../../domain/actor.ts";
import { dismissMemory, pinMemory, pinMemoryAs, rewordMemory } from "../../domain/memory/decisions.ts";
import type { Memory } from "../../domain/memory/memory.ts";
import {
  countEntryCharacters,
  type FileEdits,
  diffEntries,
  type FileEntry,
  fitsInEntry,
  memoryFiles,
  parseEntries,
  renderEntries,
} from "../../domain/memory/memory-file.ts";
import { OldhandError } from "../../lib/errors.ts";
import { replacePrivateFile } from "../../lib/replace-file.ts";
import { oneLine } from "../../lib/text.ts";
import type { Db } from "../../store/engine/db.ts";
import { makeProvenance, applyAllChanges, planChange, withJournalLock } from "../../store/journal/journal.ts";
import { getMemory, listMemories, memoryNoun } from "../../store/nouns/memories.ts";
import { planMemoryChanges, remember } from "../../store/journal/remember.ts";
import { readHomeFile, toStoredText } from "./home-file.ts";
import { KNOWN_ENTRIES_FILE, readKnownEntries } from "./known-entries.ts";

type FilesContext = Pick<Context, "db" | "config" | "clock">;
type MemoryFile = (typeof memoryFiles)[number];

export interface MemoryFileState {
  readonly name: string;
  readonly path: string;
  readonly characters: number;
  readonly limit: number;
  readonly entries: readonly string[];
  /** How many of the owner's edits were read back. */
  readonly readBack: number;
  readonly written: boolean;
  /** Longer than the limit: left as the owner wrote it, to be consolidated. */
  readonly over: boolean;
}

/**
 * Synchronises MEMORY.md and USER.md with their pinned memories. An edited file counts as the owner's change
 * and is read first; only then is it written, and never if it changed in the meantime or would exceed its
 * limit.
 */
export async function syncMemoryFiles(ctx: FilesContext): Promise<readonly MemoryFileState[]> {
  const states: MemoryFileState[] = [];
  for (const file of memoryFiles)
    states.push(await withJournalLock(ctx.db, (db) => syncMemoryFile({ ...ctx, db }, file)));
  return states;
}

/** Like `syncMemoryFiles`, but only two small files and one query if nothing changed. */
export async function readOwnerEdits(ctx: FilesContext): Promise<void> {
  const known = readKnownEntries(ctx.config.home);
  const isChanged = async (file: MemoryFile): Promise<boolean> => {
    const raw = readHomeFile(join(ctx.config.home, file.name));
    const entries = known[file.name] ?? [];
    const isEdited = raw !== null && !hasSameEntries(parseEntries(raw).map(toStoredText), entries);
    return isEdited || !hasSameMemories(await listPinned(ctx.db, file), entries);
  };
  const changed = await Promise.all(memoryFiles.map(isChanged));
  if (changed.includes(true)) await syncMemoryFiles(ctx);
}

/** Refuses a memory that would not fit; nothing is ever cut off to make room. */
export async function assertFitsFile(
  ctx: FilesContext,
  memory: Pick<Memory, "id" | "kind" | "scope" | "text" | "trust">,
): Promise<void> {
  const file = memoryFiles.find((one) => one.isFor(memory));
  if (memory.scope.kind !== "global" || file === undefined) return;
  if (!fitsInEntry(memory.text))
    throw new OldhandError("usage", `a line with only § separates entries of ${file.name}`, {
      hint: "remove that line",
    });
  const others = (await listPinned(ctx.db, file)).filter((one) => one.id !== memory.id);
  const limit = ctx.config.policy.memory[file.limit];
  const characters = countEntryCharacters([...others.map((one) => one.text), memory.text]);
  if (characters <= limit) return;
  const listed = others.map((one) => `${one.id} ${oneLine(one.text, 80)}`).join("; ");
  throw new OldhandError(
    "refused",
    `${file.name} would hold ${characters} of ${limit} characters; nothing was written`,
    {
      hint: `consolidate or unpin some of: ${listed || "(none yet: this text alone is too long)"}`,
    },
  );
}

async function syncMemoryFile(ctx: FilesContext, file: MemoryFile): Promise<MemoryFileState> {
  const path = join(ctx.config.home, file.name);
  const raw = readHomeFile(path);
  const known = readKnownEntries(ctx.config.home)[file.name] ?? [];
  // A missing file is written again. Deleting it does not forget its memories.
  const written = raw === null ? known.map((entry) => entry.text) : parseEntries(raw);
  const edits = diffEntries(known, written.map(toStoredText));
  const linked = await storeOwnerEdits(ctx, file, edits, written);
  const entries = await listWantedEntries(ctx.db, file, linked);
  const texts = entries.map((entry) => entry.raw);
  const characters = countEntryCharacters(texts);
  const limit = ctx.config.policy.memory[file.limit];
  const over = characters > limit;
  // Compares entries, not bytes: line breaks are up to the owner.
  const differs = raw === null ? texts.length > 0 : texts.join(ENTRY_SEPARATOR) !== written.join(ENTRY_SEPARATOR);
  const isWritten = differs && !over && readHomeFile(path) === raw;
  if (isWritten) replacePrivateFile(path, renderEntries(texts));
  const there = isWritten || !differs ? entries : linked;
  if (known.length > 0 || there.length > 0) writeKnown(ctx.config.home, file.name, there);
  return {
    name: file.name,
    path,
    characters,
    limit,
    entries: texts,
    readBack: edits.edited.length + edits.added.length + edits.removed.length,
    written: isWritten,
    over,
  };
}

const ENTRY_SEPARATOR = "\n§\n";

/** An entry as it is in the file; `text` is the same without secrets, as the mind stores it. */
interface WrittenEntry extends FileEntry {
  readonly raw: string;
}

function hasSameEntries(texts: readonly string[], entries: readonly FileEntry[]): boolean {
  return texts.length === entries.length && texts.every((text, at) => text === entries[at]?.text);
}

function hasSameMemories(pinned: readonly Memory[], entries: readonly FileEntry[]): boolean {
  const texts = new Map(pinned.map((memory) => [memory.id, memory.text]));
  return texts.size === entries.length && entries.every((entry) => texts.get(entry.id)?.trim() === entry.text);
}

/** Stores the owner's edits as changes of memories. Returns the file's entries with their memories. */
async function storeOwnerEdits(
  ctx: FilesContext,
  file: MemoryFile,
  edits: FileEdits,
  written: readonly string[],
): Promise<readonly WrittenEntry[]> {
  const { db, config, clock } = ctx;
  // A text added to USER.md by hand becomes the owner's own; but not if the file's previous entries are
  // unknown.
  const isWord = file.name === "USER.md" && readKnownEntries(config.home)[file.name] !== undefined;
  const because = makeProvenance({ clock, actor: owner }, { kind: "person", id: null }, `${file.name} was edited`);
  const gone = edits.removed.map(({ id }) =>
    planChange(memoryNoun, id, because, (memory) => memory && dismissMemory(memory)),
  );
  await applyAllChanges(db, gone);
  const linked: WrittenEntry[] = [];
  for (const [index, entry] of edits.order.entries()) {
    const raw = written[index] ?? entry.text;
    const memory = entry.id === null ? await findSameWords(db, file, entry.text) : await getMemory(db, entry.id);
    const isEdit = entry.id === null || edits.edited.some((one) => one.id === entry.id);
    if (memory !== null && isEdit) {
      const next = isWord
        ? pinMemoryAs(rewordMemory(memory, entry.text), owner)
        : pinMemory(rewordMemory(memory, entry.text));
      await applyAllChanges(db, planMemoryChanges([next], because));
      linked.push({ id: memory.id, text: entry.text, raw });
    } else if (memory !== null) linked.push({ id: memory.id, text: entry.text, raw });
    else if (isEdit) {
      const kind = file.name === "USER.md" ? "profile" : "fact";
      const newMemory = {
        text: entry.text,
        kind,
        scope: { kind: "global" },
        origin: "owner",
        pinned: true,
        anyway: true,
      } as const;
      const made = await remember(db, newMemory, { ...because, policy: config.policy.memory });
      linked.push({ id: made.memory.id, text: entry.text, raw });
    }
  }
  return linked;
}

/**
 * The entries the file should have: first in its own order, then newly pinned ones. An entry stays as the
 * owner wrote it if the memory says the same.
 */
async function listWantedEntries(
  db: Db,
  file: MemoryFile,
  linked: readonly WrittenEntry[],
): Promise<readonly WrittenEntry[]> {
  const pinned = new Map((await listPinned(db, file)).map((memory) => [memory.id, memory]));
  const inFile = linked.flatMap((entry) => {
    const memory = pinned.get(entry.id);
    pinned.delete(entry.id);
    if (memory === undefined) return [];
    return [entry.text === memory.text.trim() ? entry : toWrittenEntry(memory)];
  });
  return [...inFile, ...[...pinned.values()].map(toWrittenEntry)];
}

function toWrittenEntry({ id, text }: Memory): WrittenEntry {
  return { id, text: text.trim(), raw: text.trim() };
}

async function listPinned(db: Db, file: MemoryFile): Promise<Memory[]> {
  const pinned = await listMemories(db, { scope: { kind: "global" }, status: "active", pinned: true });
  return pinned.filter((memory) => file.isFor(memory));
}

async function findSameWords(db: Db, file: MemoryFile, text: string): Promise<Memory | null> {
  const all = await listMemories(db, { scope: { kind: "global" } });
  const isProfile = file.name === "USER.md";
  const same = all.filter((memory) => (memory.kind === "profile") === isProfile && memory.text.trim() === text);
  return same.find((memory) => file.isFor(memory)) ?? same[0] ?? null;
}

function writeKnown(home: string, name: string, there: readonly FileEntry[]): void {
  const before = readKnownEntries(home);
  const entries = there.map(({ id, text }) => ({ id, text }));
  if (JSON.stringify(before[name]) === JSON.stringify(entries)) return;
  replacePrivateFile(join(home, KNOWN_ENTRIES_FILE), `${JSON.stringify({ ...before, [name]: entries }, null, 2)}\n`);
}
