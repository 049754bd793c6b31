import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { NewEvent } from "../../../domain/event/event.ts";
import { DAY } from "../../../lib/clock.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { getValue, listValues, putValue } from "../../../store/state/kv.ts";
import { recordSessionOn } from "../../off-times.ts";
import type { TranscriptContext } from "../../protocol/host.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { findWorkspace } from "../../protocol/workspace.ts";
import { storeTranscriptEvents } from "../../transcripts/store-transcript-events.ts";
import { QUEUED, transcriptReader } from "./transcript.ts";

/**
 * How far a transcript was read, and since when we observe its session: a fork begins with copies of another
 * session's lines.
 */
interface Cursor {
  readonly offset: number;
  readonly since: number;
}

const SPACE = "claude-code transcripts";
const KEPT_MS = 30 * DAY;
const SPACE_BYTES = 8_000_000;
const BUDGET_MS = 150;
const PIECE_BYTES = 4_000_000;
/** How many transcripts of other sessions are checked at a session start: some ended without an event. */
const MOST_OTHERS = 10;

/**
 * Reads what no hook reports: calls that the user refused or interrupted, and messages typed while the agent works.
 * Each item has an id, so what was reported already is not stored again.
 */
export async function readNewTranscriptLines(ctx: TranscriptContext, event: HookEvent): Promise<void> {
  const path = event.transcript;
  if (path === null) return;
  const until = ctx.clock.now() + BUDGET_MS;
  const cursor = (await readCursor(ctx, path)) ?? (await startCursor(ctx, path));
  await readNewLines(ctx, path, cursor);
  recordSessionOn(ctx.config.home, event, ctx.clock.now());
  for (const other of event.moment === "session-start"
    ? await listOtherTranscripts(ctx, path)
    : listSubAgentTranscripts(path)) {
    if (ctx.clock.now() > until) return;
    await readNewLines(ctx, other, (await readCursor(ctx, other)) ?? { offset: 0, since: cursor.since });
  }
}

/** Lines that exist when a session is first seen belong to another session, or are older than the installation. */
async function startCursor(ctx: TranscriptContext, path: string): Promise<Cursor> {
  const cursor = { offset: readFileSize(path), since: ctx.clock.now() };
  await saveCursor(ctx, path, cursor);
  return cursor;
}

async function readNewLines(ctx: TranscriptContext, path: string, cursor: Cursor): Promise<void> {
  const size = readFileSize(path);
  // Shorter than before: the file was rewritten.
  const from = size < cursor.offset ? 0 : cursor.offset;
  if (size === from) return;
  const reader = transcriptReader(ctx.config.policy.observe);
  const events: NewEvent[] = [];
  const piece = readPiece(path, from);
  for (const { line, position } of splitLines(piece, from)) {
    const isQueued = line.includes(QUEUED);
    if (!isQueued && !line.includes('"tool_use') && !line.includes('"tool_result"')) continue;
    for (const item of reader.take(line, position))
      // All other prompts are reported by their hook.
      if ((item.kind === "call" || isQueued) && item.at >= cursor.since)
        events.push({ ...item, workspace: findWorkspace(item.cwd) });
  }
  await storeTranscriptEvents(ctx, events);
  const end = from + piece.length;
  // A call without a result is read again when the result is there, but not forever.
  const open = reader.firstOpen();
  const next = open === null || (open === from && piece.length >= PIECE_BYTES) ? end : open;
  await saveCursor(ctx, path, { offset: next, since: cursor.since });
}

/** Whole lines only, because the last one may be incomplete. */
function readPiece(path: string, from: number): Buffer {
  const file = openSync(path, "r");
  try {
    const wanted = Math.min(fstatSync(file).size - from, PIECE_BYTES);
    const piece = Buffer.allocUnsafe(Math.max(0, wanted));
    const got = readSync(file, piece, 0, piece.length, from);
    const end = piece.subarray(0, got).lastIndexOf(0x0a);
    // A line longer than a piece is skipped; it holds no call worth the time.
    return piece.subarray(0, end === -1 && got === PIECE_BYTES ? got : end + 1);
  } finally {
    closeSync(file);
  }
}

function* splitLines(piece: Buffer, from: number): Iterable<{ readonly line: Buffer; readonly position: number }> {
  for (let start = 0; start < piece.length;) {
    const found = piece.indexOf(0x0a, start);
    const end = found === -1 ? piece.length : found;
    yield { line: piece.subarray(start, end), position: from + start };
    start = end + 1;
  }
}

/** Recently seen sessions: a closed window or a crash sends no session end. */
async function listOtherTranscripts(ctx: TranscriptContext, except: string): Promise<readonly string[]> {
  const entries = await listValues(ctx.db, SPACE, ctx.clock.now());
  return entries
    .map((entry) => entry.key)
    .filter((path) => path !== except && existsSync(path))
    .slice(-MOST_OTHERS);
}

function listSubAgentTranscripts(path: string): readonly string[] {
  const folder = join(path.replace(/\.jsonl$/, ""), "subagents");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name));
}

async function readCursor(ctx: TranscriptContext, path: string): Promise<Cursor | null> {
  const value = tryParseJson((await getValue(ctx.db, SPACE, path, ctx.clock.now())) ?? "");
  if (!isRecord(value) || typeof value["offset"] !== "number" || typeof value["since"] !== "number") return null;
  return { offset: value["offset"], since: value["since"] };
}

function saveCursor(ctx: TranscriptContext, path: string, cursor: Cursor): Promise<void> {
  const now = ctx.clock.now();
  const value = JSON.stringify(cursor);
  return putValue(ctx.db, { space: SPACE, key: path, value, now, ttlMs: KEPT_MS, maxBytes: SPACE_BYTES });
}

function readFileSize(path: string): number {
  if (!existsSync(path)) return 0;
  const file = openSync(path, "r");
  const { size } = fstatSync(file);
  closeSync(file);
  return size;
}
