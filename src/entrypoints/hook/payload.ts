import { fstatSync, readSync } from "node:fs";
import { sinceStart } from "../../lib/clock.ts";
import { systemErrorCode } from "../../lib/errors.ts";
import { newJsonEndDetector } from "../../lib/json-end.ts";

/** Nothing came for so long: nothing more is expected. */
const IDLE_MS = 1_000;
/** However slowly it comes: no host gives a hook longer. */
const WHOLE_MS = 5_000;

/**
 * The payload on stdin, up to its own end: whoever sent it may keep the pipe open, or have handed it to somebody else.
 * What came until nothing more did, where it has no end; null where it is larger than anyone should send.
 */
export async function readPayload(max: number): Promise<string | null> {
  if (!isSafeToRead()) return (await import("./payload-stream.ts")).readPayloadStream(max, IDLE_MS, WHOLE_MS);
  const isWhole = newJsonEndDetector();
  const chunks: Buffer[] = [];
  let size = 0;
  const began = sinceStart();
  for (let last = began; ;) {
    const piece = Buffer.allocUnsafe(65_536);
    const got = readChunk(piece);
    const now = sinceStart();
    if (got === 0) break;
    if (got === null) {
      if (now - last > IDLE_MS || now - began > WHOLE_MS) break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, now - last < 50 ? 1 : 10);
      continue;
    }
    last = now;
    size += got;
    if (size > max) return null;
    const came = piece.subarray(0, got);
    chunks.push(came);
    if (isWhole(came)) break;
  }
  return Buffer.concat(chunks, size).toString("utf8");
}

/** Whether reading cannot wait for ever. A file ends; at a terminal somebody sits; a pipe can be asked. */
function isSafeToRead(): boolean {
  const stat = fstatSync(0);
  return stat.isFile() || stat.isCharacterDevice() || (process.platform !== "win32" && setNonBlocking());
}

/** How much came; 0 is the end, null nothing yet. */
function readChunk(into: Buffer): number | null {
  try {
    return readSync(0, into);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EOF") return 0;
    if (code === "EAGAIN") return null;
    throw error;
  }
}

/**
 * Sets a pipe or socket to answer that there is nothing yet, as Node's own `process.stdin` does; but that loads the
 * network first, which takes longer than all the rest of a hook. Where Node does not let us, its way is taken.
 */
function setNonBlocking(): boolean {
  try {
    // Whoever asks Node to warn of what may go one day would read it in their agent's terminal.
    process.noDeprecation = true;
    const { Pipe, constants } = (process as unknown as ProcessBinding).binding("pipe_wrap");
    return new Pipe(constants.SOCKET).open(0) === 0;
  } catch {
    return false;
  }
}

interface ProcessBinding {
  binding(name: "pipe_wrap"): {
    readonly Pipe: new (kind: number) => { open(fd: number): number };
    readonly constants: { readonly SOCKET: number };
  };
}
