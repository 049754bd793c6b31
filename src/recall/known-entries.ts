import { join } from "node:path";
import type { FileEntry } from "../domain/memory/memory-file.ts";
import { isRecord, tryParse } from "../lib/json.ts";
import { readHomeFile } from "./home-file.ts";

export type KnownEntries = Readonly<Record<string, readonly FileEntry[]>>;

/** What MEMORY.md and USER.md held when they were last read or written: kept beside them, since another machine on the same mind has files of its own. */
export function readKnownEntries(home: string): KnownEntries {
  const text = readHomeFile(join(home, KNOWN_ENTRIES));
  const known = text === null ? undefined : tryParse(text);
  return isRecord(known) ? (known as KnownEntries) : {};
}

export const KNOWN_ENTRIES = "memory-files.json";
