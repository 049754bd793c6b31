import { createReadStream, openSync, readSync, closeSync } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { OldhandError, systemCodeOf } from "../../lib/errors.ts";

/**
 * A file's lines one after the other, plain or gzipped. Its memory is that of one line. Lines end at \n and nothing else:
 * JSON leaves other line ends in a text as they are. Each is decoded by itself, so that one with a rare character does
 * not make all around it twice as wide and slow.
 */
export async function* linesOf(path: string): AsyncIterable<string> {
  let rest: Buffer[] = [];
  for await (const chunk of chunksOf(path)) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield textOf(rest, chunk.subarray(from, end));
      if (rest.length > 0) rest = [];
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield textOf(rest, Buffer.alloc(0));
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

function textOf(rest: readonly Buffer[], last: Buffer): string {
  const line = rest.length === 0 ? last : Buffer.concat([...rest, last]);
  return line.toString("utf8", 0, line.at(-1) === RETURN ? line.length - 1 : line.length);
}

/** A stream's error must reach the reader, not the process. */
async function* chunksOf(path: string): AsyncIterable<Buffer> {
  // Asked first: a stream that nobody reads has nobody to tell that there is no file.
  const zipped = isGzip(path);
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    yield* (zipped ? pipeline(file, createGunzip(), () => {}) : file) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw unreadable(path, cause);
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
    throw unreadable(path, cause);
  }
  return head[0] === 0x1f && head[1] === 0x8b;
}

function unreadable(path: string, cause: unknown): OldhandError {
  const why =
    systemCodeOf(cause) === "ENOENT"
      ? "there is no such file"
      : systemCodeOf(cause) === "EISDIR"
        ? "it is a folder"
        : "it cannot be read";
  return new OldhandError("input", `cannot import ${path}: ${why}`, {
    hint: "what came before it was stored; the same command goes on from there",
    cause,
  });
}
