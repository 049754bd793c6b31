import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { NewEvent } from "../../domain/event/event.ts";
import { DAY } from "../../lib/clock.ts";
import { isRecord, tryParse } from "../../lib/json.ts";
import { getValue, putValue } from "../../store/kv.ts";
import { noteSessionOn } from "../off-times.ts";
import type { CatchUpContext, TranscriptItem } from "../protocol/host.ts";
import type { HookEvent } from "../protocol/hook-event.ts";
import { workspaceOf } from "../protocol/workspace.ts";
import { storeTold } from "./store-told.ts";

/** A host's record of a session, one JSON text to a line, only ever added to. */
export interface Transcript {
  readonly path: string;
  /** What one line adds to what was there before it. */
  take(line: string): Iterable<TranscriptItem>;
  /** Whether a call has no result yet: then it is read again, with it. */
  isOpen?(): boolean;
  /** What of it no hook tells; calls only, where it is left out. */
  readonly brings?: readonly TranscriptItem["kind"][];
}

const KEPT = 30 * DAY;
const SPACE_BYTES = 8_000_000;
const PIECE_BYTES = 4_000_000;

/**
 * Stores the calls that a transcript tells of since it was last read: calls refused before they ran fire no hook.
 * Every call has its own uid, so what a hook told already is not stored again. A bounded piece at a time.
 */
export async function readOn(ctx: CatchUpContext, transcript: Transcript, seen: HookEvent): Promise<void> {
  const { path, brings = ["call"] } = transcript;
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const space = `${seen.host} transcripts`;
  const mark = await markOf(ctx, space, path);
  // A session that began before oldhand came is not ours up to here: that is what `oldhand import` is for.
  const from = mark ?? (seen.moment === "session-start" ? Number.MAX_SAFE_INTEGER : 0);
  const piece = readPiece(path, from);
  const events: NewEvent[] = [];
  for (const line of piece.text.split("\n"))
    for (const item of transcript.take(line))
      if (brings.includes(item.kind)) events.push({ ...item, workspace: workspaceOf(item.cwd) });
  await storeTold(ctx, events);
  noteSessionOn(ctx.config.home, seen, ctx.clock.now());
  const isOpen = transcript.isOpen?.() === true && !piece.isFull;
  if (piece.end !== mark && !isOpen) await setMark(ctx, { space, path, offset: piece.end });
}

interface Piece {
  readonly text: string;
  readonly end: number;
  readonly isFull: boolean;
}

/** Whole lines only: the last may be in the middle of being written. */
function readPiece(path: string, wanted: number): Piece {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    // Shorter than we read: it was written anew.
    const from = wanted === Number.MAX_SAFE_INTEGER ? size : wanted > size ? 0 : wanted;
    const piece = Buffer.allocUnsafe(Math.min(size - from, PIECE_BYTES));
    const got = readSync(file, piece, 0, piece.length, from);
    const last = piece.subarray(0, got).lastIndexOf(0x0a);
    // A line longer than a piece holds no call that is worth the time; it is stepped over.
    const end = last === -1 && got === PIECE_BYTES ? got : last + 1;
    return { text: piece.toString("utf8", 0, end), end: from + end, isFull: got === PIECE_BYTES };
  } finally {
    closeSync(file);
  }
}

async function markOf(ctx: CatchUpContext, space: string, path: string): Promise<number | null> {
  const value = tryParse((await getValue(ctx.db, space, path, ctx.clock.now())) ?? "");
  return isRecord(value) && typeof value["offset"] === "number" ? value["offset"] : null;
}

function setMark(
  ctx: CatchUpContext,
  mark: { readonly space: string; readonly path: string; readonly offset: number },
): Promise<void> {
  const { space, path, offset } = mark;
  const now = ctx.clock.now();
  const value = JSON.stringify({ offset });
  return putValue(ctx.db, { space, key: path, value, now, ttlMs: KEPT, maxBytes: SPACE_BYTES });
}
