import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "../../converse/turn/entry.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { ShownPiece } from "../cli/chat/chat-update.ts";
import { listShownPieces } from "../cli/chat/shown-entries.ts";

/** The end of a session, from its JSONL file: it can be shown long before the store is open. */
export interface SessionTail {
  readonly session: string;
  /** The number of its last entry. */
  readonly last: number;
  readonly shown: readonly ShownPiece[];
  /** Something came before. */
  readonly isCut: boolean;
}

/**
 * Null if no session is resumed, or its file is not there. The file is a copy: what the store has may be newer, so the
 * caller compares `session` and `last` with it.
 */
export function readSessionTail(
  words: readonly string[],
  { home, cwd, pieces }: { readonly home: string; readonly cwd: string; readonly pieces: number },
): SessionTail | null {
  if (!resumes(words)) return null;
  const folder = join(home, "sessions");
  try {
    const session = words.find((word) => /^chat_\w+$/.test(word)) ?? findNewest(folder, cwd);
    return session === null ? null : readTail(join(folder, `${session}.jsonl`), session, pieces);
  } catch {
    // It cannot be read: the engine shows the session, or says what is wrong.
    return null;
  }
}

export function resumes(words: readonly string[]): boolean {
  return words.includes("--resume") || words.includes("--continue");
}

/** The session that was used last in this folder, or in one above or below it. */
function findNewest(folder: string, cwd: string): string | null {
  const files = readdirSync(folder)
    .filter((name) => /^chat_\w+\.jsonl$/.test(name))
    .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .toSorted((a, b) => b.at - a.at);
  for (const { name } of files.slice(0, MOST_FILES)) {
    const [line = ""] = readPart(join(folder, name), "start", HEAD_BYTES).split("\n");
    const head = tryParseJson(line);
    if (!isRecord(head) || head["parent"] !== null) continue;
    const [id, workspace] = [head["id"], head["workspace"]];
    if (typeof id === "string" && typeof workspace === "string" && `${cwd}/`.startsWith(`${workspace}/`)) return id;
  }
  return null;
}

const MOST_FILES = 50;
const HEAD_BYTES = 4_000;
const TAIL_BYTES = 64_000;
const LONG_TAIL_BYTES = 1_000_000;

function readTail(path: string, session: string, pieces: number): SessionTail | null {
  const tail = readTailOf(path, session, { pieces, bytes: TAIL_BYTES });
  // Long results of tools may fill it.
  return tail === null || (tail.isCut && tail.shown.length < pieces)
    ? readTailOf(path, session, { pieces, bytes: LONG_TAIL_BYTES })
    : tail;
}

function readTailOf(
  path: string,
  session: string,
  { pieces, bytes }: { readonly pieces: number; readonly bytes: number },
): SessionTail | null {
  const lines = readPart(path, "end", bytes).split("\n");
  const entries = lines.flatMap((line): readonly Entry[] => {
    const entry = tryParseJson(line);
    // The first line may be cut; others are about the session, or for developers.
    return isRecord(entry) && typeof entry["seq"] === "number" ? [entry as unknown as Entry] : [];
  });
  const last = entries.at(-1)?.seq;
  if (last === undefined) return null;
  const { shown, earlier } = listShownPieces(entries, pieces);
  return { session, last, shown, isCut: earlier > 0 || (entries[0]?.seq ?? 1) > 1 };
}

function readPart(path: string, from: "start" | "end", bytes: number): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const read = readSync(file, buffer, 0, buffer.length, from === "start" ? 0 : size - buffer.length);
    return buffer.toString("utf8", 0, read);
  } finally {
    closeSync(file);
  }
}
