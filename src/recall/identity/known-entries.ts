import { join } from "node:path";
import type { FileEntry } from "../../domain/memory/memory-file.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { readHomeFile } from "./home-file.ts";

export type KnownEntries = Readonly<Record<string, readonly FileEntry[]>>;

/**
 * What MEMORY.md and USER.md contained when last read or written. Stored next to them, because another
 * machine with the same mind has its own files.
 */
export function readKnownEntries(home: string): KnownEntries {
  const text = readHomeFile(join(home, KNOWN_ENTRIES_FILE));
  const known = text === null ? undefined : tryParseJson(text);
  return isRecord(known) ? (known as KnownEntries) : {};
}

export const KNOWN_ENTRIES_FILE = "memory-files.json";
