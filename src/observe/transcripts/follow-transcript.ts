import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { NewEvent } from "../../domain/event/event.ts";
import { DAY } from "../../lib/clock.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { getValue, putValue } from "../../store/state/kv.ts";
import { recordSessionOn } from "../off-times.ts";
import type { TranscriptContext, TranscriptItem } from "../protocol/host.ts";
import type { HookEvent } from "../protocol/hook-event.ts";
import { findWorkspace } from "../protocol/workspace.ts";
import { storeTranscriptEvents } from "./store-transcript-events.ts";

/** A host's record of a session: one JSON text per line, append-only. */
export interface FollowedTranscript {
  readonly path: string;
  /** The items that this line completes. */
  take(line: string): Iterable<TranscriptItem>;
  /** True if a call has no result yet; then it is read again later, together with the result. */
  isOpen?(): boolean;
  /** The kinds that no hook reports; default: calls only. */
  readonly kinds?: readonly TranscriptItem["kind"][];
}

const KEPT_MS = 30 * DAY;
const SPACE_BYTES = 8_000_000;
const PIECE_BYTES = 4_000_000;

/**
 * Stores what was added to a transcript since it was last read, because calls refused before they ran fire no hook.
 * Every call has a uid, so what a hook reported is not stored again. Reads a limited piece at a time.
 */
export async function followTranscript(
  ctx: TranscriptContext,
  transcript: FollowedTranscript,
  event: HookEvent,
): Promise<void> {
  const { path, kinds = ["call"] } = transcript;
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const space = `${event.host} transcripts`;
  const cursor = await readCursor(ctx, space, path);
  // At a session start, existing lines are older than our first event of the session; `oldhand import` reads those.
  const from = cursor ?? (event.moment === "session-start" ? Number.MAX_SAFE_INTEGER : 0);
  const piece = readPiece(path, from);
  const events: NewEvent[] = [];
  for (const line of piece.text.split("\n"))
    for (const item of transcript.take(line))
      if (kinds.includes(item.kind)) events.push({ ...item, workspace: findWorkspace(item.cwd) });
  await storeTranscriptEvents(ctx, events);
  recordSessionOn(ctx.config.home, event, ctx.clock.now());
  const isOpen = transcript.isOpen?.() === true && !piece.isFull;
  if (piece.end !== cursor && !isOpen) await saveCursor(ctx, { space, path, offset: piece.end });
}

interface TranscriptPiece {
  readonly text: string;
  readonly end: number;
  readonly isFull: boolean;
}

/** Whole lines only, because the last one may be incomplete. */
function readPiece(path: string, wanted: number): TranscriptPiece {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    // Shorter than before: the file was rewritten.
    const from = wanted === Number.MAX_SAFE_INTEGER ? size : wanted > size ? 0 : wanted;
    const piece = Buffer.allocUnsafe(Math.min(size - from, PIECE_BYTES));
    const got = readSync(file, piece, 0, piece.length, from);
    const last = piece.subarray(0, got).lastIndexOf(0x0a);
    // A line longer than a piece is skipped; it holds no call worth the time.
    const end = last === -1 && got === PIECE_BYTES ? got : last + 1;
    return { text: piece.toString("utf8", 0, end), end: from + end, isFull: got === PIECE_BYTES };
  } finally {
    closeSync(file);
  }
}

async function readCursor(ctx: TranscriptContext, space: string, path: string): Promise<number | null> {
  const value = tryParseJson((await getValue(ctx.db, space, path, ctx.clock.now())) ?? "");
  return isRecord(value) && typeof value["offset"] === "number" ? value["offset"] : null;
}

function saveCursor(
  ctx: TranscriptContext,
  cursor: { readonly space: string; readonly path: string; readonly offset: number },
): Promise<void> {
  const { space, path, offset } = cursor;
  const now = ctx.clock.now();
  const value = JSON.stringify({ offset });
  return putValue(ctx.db, { space, key: path, value, now, ttlMs: KEPT_MS, maxBytes: SPACE_BYTES });
}
