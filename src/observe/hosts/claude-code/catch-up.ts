import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { NewEvent } from "../../../domain/event/event.ts";
import { DAY } from "../../../lib/clock.ts";
import { isRecord, tryParse } from "../../../lib/json.ts";
import { getValue, listValues, putValue } from "../../../store/kv.ts";
import { noteSessionOn } from "../../off-times.ts";
import type { CatchUpContext } from "../../protocol/host.ts";
import type { HookEvent } from "../../protocol/hook-event.ts";
import { workspaceOf } from "../../protocol/workspace.ts";
import { storeTold } from "../../transcripts/store-told.ts";
import { QUEUED, transcriptReader } from "./transcript.ts";

/** How far a transcript was read, and since when its session is ours: a fork begins with copies of another's lines. */
interface Mark {
  readonly offset: number;
  readonly since: number;
}

const SPACE = "claude-code transcripts";
const KEPT = 30 * DAY;
const SPACE_BYTES = 8_000_000;
const BUDGET_MS = 150;
const PIECE_BYTES = 4_000_000;
/** How many transcripts of sessions that ended without a word are looked after when another begins. */
const OTHERS = 10;

/**
 * A call that its user refused or interrupted fires no hook at all, nor does a message typed while the agent works; only
 * the transcript tells. Each has its own id, so what was told already is not stored again.
 */
export async function catchUp(ctx: CatchUpContext, seen: HookEvent): Promise<void> {
  const path = seen.transcript;
  if (path === null) return;
  const until = ctx.clock.now() + BUDGET_MS;
  const mark = (await markOf(ctx, path)) ?? (await begin(ctx, path));
  await readOn(ctx, path, mark);
  noteSessionOn(ctx.config.home, seen, ctx.clock.now());
  for (const other of seen.moment === "session-start" ? await others(ctx, path) : subAgents(path)) {
    if (ctx.clock.now() > until) return;
    await readOn(ctx, other, (await markOf(ctx, other)) ?? { offset: 0, since: mark.since });
  }
}

/** What is there when we first meet a session is another's, or from before we were here. */
async function begin(ctx: CatchUpContext, path: string): Promise<Mark> {
  const mark = { offset: sizeOf(path), since: ctx.clock.now() };
  await setMark(ctx, path, mark);
  return mark;
}

async function readOn(ctx: CatchUpContext, path: string, mark: Mark): Promise<void> {
  const size = sizeOf(path);
  // Shorter than we read: it was written anew.
  const from = size < mark.offset ? 0 : mark.offset;
  if (size === from) return;
  const reader = transcriptReader(ctx.config.policy.observe);
  const events: NewEvent[] = [];
  const piece = readPiece(path, from);
  for (const { line, position } of linesIn(piece, from)) {
    const isQueued = line.includes(QUEUED);
    if (!isQueued && !line.includes('"tool_use') && !line.includes('"tool_result"')) continue;
    for (const item of reader.take(line, position))
      // Every other prompt is told by its hook.
      if ((item.kind === "call" || isQueued) && item.at >= mark.since)
        events.push({ ...item, workspace: workspaceOf(item.cwd) });
  }
  await storeTold(ctx, events);
  const end = from + piece.length;
  // A call whose result is not there yet is read again with it; but not for ever.
  const open = reader.firstOpen();
  const next = open === null || (open === from && piece.length >= PIECE_BYTES) ? end : open;
  await setMark(ctx, path, { offset: next, since: mark.since });
}

/** Whole lines only: the last may be in the middle of being written. */
function readPiece(path: string, from: number): Buffer {
  const file = openSync(path, "r");
  try {
    const wanted = Math.min(fstatSync(file).size - from, PIECE_BYTES);
    const piece = Buffer.allocUnsafe(Math.max(0, wanted));
    const got = readSync(file, piece, 0, piece.length, from);
    const end = piece.subarray(0, got).lastIndexOf(0x0a);
    // A line longer than a piece holds no call that is worth the time; it is stepped over.
    return piece.subarray(0, end === -1 && got === PIECE_BYTES ? got : end + 1);
  } finally {
    closeSync(file);
  }
}

function* linesIn(piece: Buffer, from: number): Iterable<{ readonly line: Buffer; readonly position: number }> {
  for (let start = 0; start < piece.length;) {
    const found = piece.indexOf(0x0a, start);
    const end = found === -1 ? piece.length : found;
    yield { line: piece.subarray(start, end), position: from + start };
    start = end + 1;
  }
}

/** Of the sessions seen lately: a window that was closed, or a machine that went down, says no goodbye. */
async function others(ctx: CatchUpContext, except: string): Promise<readonly string[]> {
  const entries = await listValues(ctx.db, SPACE, ctx.clock.now());
  return entries
    .map((entry) => entry.key)
    .filter((path) => path !== except && existsSync(path))
    .slice(-OTHERS);
}

function subAgents(path: string): readonly string[] {
  const folder = join(path.replace(/\.jsonl$/, ""), "subagents");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name));
}

async function markOf(ctx: CatchUpContext, path: string): Promise<Mark | null> {
  const value = tryParse((await getValue(ctx.db, SPACE, path, ctx.clock.now())) ?? "");
  if (!isRecord(value) || typeof value["offset"] !== "number" || typeof value["since"] !== "number") return null;
  return { offset: value["offset"], since: value["since"] };
}

function setMark(ctx: CatchUpContext, path: string, mark: Mark): Promise<void> {
  const now = ctx.clock.now();
  const value = JSON.stringify(mark);
  return putValue(ctx.db, { space: SPACE, key: path, value, now, ttlMs: KEPT, maxBytes: SPACE_BYTES });
}

function sizeOf(path: string): number {
  if (!existsSync(path)) return 0;
  const file = openSync(path, "r");
  const { size } = fstatSync(file);
  closeSync(file);
  return size;
}
