import { join } from "node:path";
import type { Context } from "../context.ts";
import { owner } from "../domain/actor.ts";
import { dismiss, pin, pinBy, reworded } from "../domain/memory/decisions.ts";
import type { Memory } from "../domain/memory/memory.ts";
import {
  charactersOf,
  type Edits,
  editsOf,
  type FileEntry,
  fitsAnEntry,
  memoryFiles,
  parseEntries,
  renderEntries,
} from "../domain/memory/memory-file.ts";
import { OldhandError } from "../lib/errors.ts";
import { replacePrivateFile } from "../lib/replace-file.ts";
import { oneLine } from "../lib/text.ts";
import type { Db } from "../store/engine/db.ts";
import { by, changeAll, planned, underLock } from "../store/journal.ts";
import { getMemory, listMemories, memoryNoun } from "../store/memories.ts";
import { memoriesAs, remember } from "../store/remember.ts";
import { readHomeFile, stored } from "./home-file.ts";
import { KNOWN_ENTRIES, readKnownEntries } from "./known-entries.ts";

type FilesContext = Pick<Context, "db" | "config" | "clock">;
type MemoryFile = (typeof memoryFiles)[number];

export interface FileState {
  readonly name: string;
  readonly path: string;
  readonly characters: number;
  readonly limit: number;
  readonly entries: readonly string[];
  /** How many entries of the owner's were read back. */
  readonly readBack: number;
  readonly written: boolean;
  /** Longer than it may be: left as the owner wrote it, to be consolidated. */
  readonly over: boolean;
}

/**
 * MEMORY.md and USER.md and the pinned memories they hold, made one. What someone changed in a file is the owner's
 * word and is read back first; only then is the file written, and never if it changed meanwhile or would not fit.
 */
export async function syncMemoryFiles(ctx: FilesContext): Promise<readonly FileState[]> {
  const states: FileState[] = [];
  for (const file of memoryFiles) states.push(await underLock(ctx.db, (db) => syncOne({ ...ctx, db }, file)));
  return states;
}

/** The same at the price of two small files and one question, where they and the memories are in step already. */
export async function readOwnerEdits(ctx: FilesContext): Promise<void> {
  const known = readKnownEntries(ctx.config.home);
  for (const file of memoryFiles) {
    const raw = readHomeFile(join(ctx.config.home, file.name));
    const entries = known[file.name] ?? [];
    const isEdited = raw !== null && !sameEntries(parseEntries(raw).map(stored), entries);
    if (isEdited || !sameMemories(await pinnedIn(ctx.db, file), entries)) {
      await syncMemoryFiles(ctx);
      return;
    }
  }
}

/** Refuses what would not fit, with what is there: nothing is ever cut off to make room. */
export async function assertFits(
  ctx: FilesContext,
  memory: Pick<Memory, "id" | "kind" | "scope" | "text" | "trust">,
): Promise<void> {
  const file = memoryFiles.find((one) => one.isFor(memory));
  if (memory.scope.kind !== "global" || file === undefined) return;
  if (!fitsAnEntry(memory.text))
    throw new OldhandError("usage", `a line that is only § parts entries of ${file.name}`, { hint: "leave it out" });
  const others = (await pinnedIn(ctx.db, file)).filter((one) => one.id !== memory.id);
  const limit = ctx.config.policy.memory[file.limit];
  const characters = charactersOf([...others.map((one) => one.text), memory.text]);
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

async function syncOne(ctx: FilesContext, file: MemoryFile): Promise<FileState> {
  const path = join(ctx.config.home, file.name);
  const raw = readHomeFile(path);
  const known = readKnownEntries(ctx.config.home)[file.name] ?? [];
  // A file that is gone is made again; to forget all of it at once takes more than a missing file.
  const written = raw === null ? known.map((entry) => entry.text) : parseEntries(raw);
  const edits = editsOf(known, written.map(stored));
  const linked = await readBack(ctx, file, edits, written);
  const entries = await wantedEntries(ctx.db, file, linked);
  const texts = entries.map((entry) => entry.raw);
  const characters = charactersOf(texts);
  const limit = ctx.config.policy.memory[file.limit];
  const over = characters > limit;
  // By entries, not by bytes: how the owner breaks lines is the owner's affair.
  const differs = raw === null ? texts.length > 0 : texts.join(SEAM) !== written.join(SEAM);
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

const SEAM = "\n§\n";

/** An entry as it stands in the file; its text is that without secrets, as the mind has it. */
interface Written extends FileEntry {
  readonly raw: string;
}

function sameEntries(texts: readonly string[], entries: readonly FileEntry[]): boolean {
  return texts.length === entries.length && texts.every((text, at) => text === entries[at]?.text);
}

function sameMemories(pinned: readonly Memory[], entries: readonly FileEntry[]): boolean {
  const texts = new Map(pinned.map((memory) => [memory.id, memory.text]));
  return texts.size === entries.length && entries.every((entry) => texts.get(entry.id)?.trim() === entry.text);
}

/** The owner's edits as changes of memories; gives back what the file now holds, each entry with its memory. */
async function readBack(
  ctx: FilesContext,
  file: MemoryFile,
  edits: Edits,
  written: readonly string[],
): Promise<readonly Written[]> {
  const { db, config, clock } = ctx;
  // Written there by hand, somebody else's words are the owner's too; but not where nobody knows what stood there before.
  const isWord = file.name === "USER.md" && readKnownEntries(config.home)[file.name] !== undefined;
  const because = by({ clock, actor: owner }, { kind: "person", id: null }, `${file.name} was edited`);
  const gone = edits.removed.map(({ id }) => planned(memoryNoun, id, because, (memory) => memory && dismiss(memory)));
  await changeAll(db, gone);
  const linked: Written[] = [];
  for (const [index, entry] of edits.order.entries()) {
    const raw = written[index] ?? entry.text;
    const memory = entry.id === null ? await sameWords(db, file, entry.text) : await getMemory(db, entry.id);
    const isEdit = entry.id === null || edits.edited.some((one) => one.id === entry.id);
    if (memory !== null && isEdit) {
      const next = isWord ? pinBy(reworded(memory, entry.text), owner) : pin(reworded(memory, entry.text));
      await changeAll(db, memoriesAs([next], because));
      linked.push({ id: memory.id, text: entry.text, raw });
    } else if (memory !== null) linked.push({ id: memory.id, text: entry.text, raw });
    else if (isEdit) {
      const kind = file.name === "USER.md" ? "profile" : "fact";
      const wish = {
        text: entry.text,
        kind,
        scope: { kind: "global" },
        origin: "owner",
        pinned: true,
        anyway: true,
      } as const;
      const made = await remember(db, wish, { ...because, law: config.policy.memory });
      linked.push({ id: made.memory.id, text: entry.text, raw });
    }
  }
  return linked;
}

/** What the file should hold: its own order first, then what was pinned since. An entry is left as the owner wrote it where the memory says the same. */
async function wantedEntries(db: Db, file: MemoryFile, linked: readonly Written[]): Promise<readonly Written[]> {
  const pinned = new Map((await pinnedIn(db, file)).map((memory) => [memory.id, memory]));
  const inFile = linked.flatMap((entry) => {
    const memory = pinned.get(entry.id);
    pinned.delete(entry.id);
    if (memory === undefined) return [];
    return [entry.text === memory.text.trim() ? entry : asWritten(memory)];
  });
  return [...inFile, ...[...pinned.values()].map(asWritten)];
}

function asWritten({ id, text }: Memory): Written {
  return { id, text: text.trim(), raw: text.trim() };
}

async function pinnedIn(db: Db, file: MemoryFile): Promise<Memory[]> {
  const pinned = await listMemories(db, { scope: { kind: "global" }, status: "active", pinned: true });
  return pinned.filter((memory) => file.isFor(memory));
}

async function sameWords(db: Db, file: MemoryFile, text: string): Promise<Memory | null> {
  const all = await listMemories(db, { scope: { kind: "global" } });
  const isProfile = file.name === "USER.md";
  const same = all.filter((memory) => (memory.kind === "profile") === isProfile && memory.text.trim() === text);
  return same.find((memory) => file.isFor(memory)) ?? same[0] ?? null;
}

function writeKnown(home: string, name: string, there: readonly FileEntry[]): void {
  const before = readKnownEntries(home);
  const entries = there.map(({ id, text }) => ({ id, text }));
  if (JSON.stringify(before[name]) === JSON.stringify(entries)) return;
  replacePrivateFile(join(home, KNOWN_ENTRIES), `${JSON.stringify({ ...before, [name]: entries }, null, 2)}\n`);
}
