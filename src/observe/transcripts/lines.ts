import { isAscii } from "node:buffer";
import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { pipeline } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";

/**
 * A file's lines one after the other, plain or gzipped. Its memory is that of one line, and a line is bounded: a longer
 * one comes as one that nobody can read. Lines end at \n and nothing else: JSON leaves other line ends in a text as they are.
 */
export async function* readLines(path: string): AsyncIterable<string> {
  for await (const lines of readLineBatches(path)) for (const line of lines) yield decodeLine(line);
}

/**
 * The same as bytes, so that a line can be known as nothing of ours before it is decoded, and many at a time, since
 * waiting for each costs more than most of them. They are to be read before the next are asked for: their memory is
 * used again. `tell` hears how many bytes of the file were read.
 */
export async function* readLineBatches(path: string, onBytes: OnBytes = () => {}): AsyncIterable<Iterable<Buffer>> {
  // Asked first: a stream that nobody reads has nobody to tell that there is no file.
  const zipped = isGzip(path);
  try {
    if (zipped) yield* readZippedBatches(path, onBytes);
    else yield* readPlainBatches(path, onBytes);
  } catch (cause) {
    throw systemErrorCode(cause) === "" ? cause : unreadableError(path, cause);
  }
}

type OnBytes = (bytes: number) => void;

/** Each line is decoded by itself, so that one with a rare character does not make all around it twice as wide and slow. */
export function decodeLine(line: Buffer): string {
  return isAscii(line) ? line.toString("latin1") : line.toString("utf8");
}

/** How many lines of a file were too long, for whoever was given their texts. */
export async function countTooLongLines(path: string): Promise<number> {
  let count = 0;
  if (statSync(path).size > LONGEST_LINE || isGzip(path))
    for await (const lines of readLineBatches(path)) for (const line of lines) if (isTooLong(line)) count++;
  return count;
}

export function isTooLong(line: Buffer): boolean {
  return line === TOO_LONG;
}

/** As long as the largest hook payload. */
const LONGEST_LINE = 64_000_000;
/** What stands for a line that is longer: no format knows it. */
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
      // Of a line without an end more has to be read, beside what is there.
      const larger = room.length - kept < PIECE ? Buffer.allocUnsafe(2 * (kept + PIECE)) : room;
      room.copy(larger, 0, filled - kept, filled);
      room = larger;
      // Whoever else has something to do in this thread.
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
  // A stream's error must reach the reader, not the process.
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

/** The end of such a line, and the lines behind it. */
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
