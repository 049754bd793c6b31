import { isAscii } from "node:buffer";
import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { pipeline } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";

/**
 * Yields a file's lines, plain or gzipped. Needs memory for one line only, and the length of a line is limited: a
 * longer one is replaced by an unparsable one. Lines end at \n only, because JSON texts may contain other line ends.
 */
export async function* readLines(path: string): AsyncIterable<string> {
  for await (const lines of readLineBatches(path)) for (const line of lines) yield decodeLine(line);
}

/**
 * The same as bytes, so that a line can be skipped before it is decoded, and in batches, because awaiting each line
 * costs more than most lines do. Read a batch before you request the next: its memory is reused. `onBytes` gets the
 * number of bytes read.
 */
export async function* readLineBatches(path: string, onBytes: OnBytes = () => {}): AsyncIterable<Iterable<Buffer>> {
  // Checked first: a missing file would otherwise be an error of a stream that nobody listens to.
  const zipped = isGzip(path);
  try {
    if (zipped) yield* readZippedBatches(path, onBytes);
    else yield* readPlainBatches(path, onBytes);
  } catch (cause) {
    throw systemErrorCode(cause) === "" ? cause : unreadableError(path, cause);
  }
}

type OnBytes = (bytes: number) => void;

/** Decodes each line separately, so that one rare character does not make all the others take twice the memory. */
export function decodeLine(line: Buffer): string {
  return isAscii(line) ? line.toString("latin1") : line.toString("utf8");
}

/** The number of lines of a file that were too long, for callers of `readLines`. */
export async function countTooLongLines(path: string): Promise<number> {
  let count = 0;
  if (statSync(path).size > LONGEST_LINE || isGzip(path))
    for await (const lines of readLineBatches(path)) for (const line of lines) if (isTooLong(line)) count++;
  return count;
}

export function isTooLong(line: Buffer): boolean {
  return line === TOO_LONG;
}

/** In bytes; the same as the default limit of a hook payload. */
const LONGEST_LINE = 64_000_000;
/** Replaces a line that is too long; no format can parse it. */
const TOO_LONG = Buffer.from("\u0000too long");

const PIECE = 1 << 20;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

async function* readPlainBatches(path: string, onBytes: OnBytes): AsyncIterable<Iterable<Buffer>> {
  const file = openSync(path, "r");
  try {
    let room = Buffer.allocUnsafe(PIECE);
    let kept = 0;
    let all = 0;
    let isTooLong = false;
    for (let got = readSync(file, room, kept, PIECE, null); got > 0;) {
      const filled = kept + got;
      onBytes((all += got));
      const end = room.lastIndexOf(NEWLINE, filled - 1) + 1;
      if (end > 0) {
        yield isTooLong ? skipTooLongLine(room.subarray(0, end)) : splitLines(room.subarray(0, end));
        isTooLong = false;
      }
      kept = filled - end;
      isTooLong ||= kept > LONGEST_LINE;
      if (isTooLong) kept = 0;
      // An incomplete line needs more room, next to what was read.
      const larger = room.length - kept < PIECE ? Buffer.allocUnsafe(2 * (kept + PIECE)) : room;
      room.copy(larger, 0, filled - kept, filled);
      room = larger;
      // Lets other work in this thread run.
      await setImmediate();
      got = readSync(file, room, kept, PIECE, null);
    }
    if (isTooLong) yield [TOO_LONG];
    else if (kept > 0) yield splitLines(room.subarray(0, kept));
  } finally {
    closeSync(file);
  }
}

async function* readZippedBatches(path: string, onBytes: OnBytes): AsyncIterable<Iterable<Buffer>> {
  let rest: Buffer[] = [];
  let kept = 0;
  let isTooLong = false;
  // A stream's error must reach the caller, not crash the process.
  const file = createReadStream(path);
  const chunks = pipeline(file, createGunzip(), () => {}) as AsyncIterable<Buffer>;
  for await (const chunk of chunks) {
    onBytes(file.bytesRead);
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const whole = chunk.subarray(0, end);
      yield isTooLong
        ? skipTooLongLine(whole)
        : splitLines(rest.length === 0 ? whole : Buffer.concat([...rest, whole]));
      rest = [];
      kept = 0;
      isTooLong = false;
    }
    kept += chunk.length - end;
    isTooLong ||= kept > LONGEST_LINE;
    if (isTooLong) rest = [];
    else if (end < chunk.length) rest.push(chunk.subarray(end));
  }
  if (isTooLong) yield [TOO_LONG];
  else if (rest.length > 0) yield splitLines(Buffer.concat(rest));
}

/** Skips the end of such a line and yields the lines after it. */
function* skipTooLongLine(piece: Buffer): Iterable<Buffer> {
  yield TOO_LONG;
  yield* splitLines(piece.subarray(piece.indexOf(NEWLINE) + 1));
}

function* splitLines(piece: Buffer): Iterable<Buffer> {
  for (let from = 0; from < piece.length;) {
    const found = piece.indexOf(NEWLINE, from);
    const end = found === -1 ? piece.length : found;
    yield piece.subarray(from, end > from && piece[end - 1] === RETURN ? end - 1 : end);
    from = end + 1;
  }
}

function isGzip(path: string): boolean {
  const head = Buffer.alloc(2);
  try {
    const file = openSync(path, "r");
    try {
      readSync(file, head, 0, 2, 0);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw unreadableError(path, cause);
  }
  return head[0] === 0x1f && head[1] === 0x8b;
}

function unreadableError(path: string, cause: unknown): OldhandError {
  const why =
    systemErrorCode(cause) === "ENOENT"
      ? "there is no such file"
      : systemErrorCode(cause) === "EISDIR"
        ? "it is a folder"
        : "it cannot be read";
  return new OldhandError("input", `cannot import ${path}: ${why}`, {
    hint: "everything before it was stored; run the same command again to continue",
    cause,
  });
}
