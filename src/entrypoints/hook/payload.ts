import { fstatSync, readSync } from "node:fs";
import { sinceStart } from "../../lib/clock.ts";
import { systemErrorCode } from "../../lib/errors.ts";
import { newJsonEndDetector } from "../../lib/json-end.ts";

/** If nothing arrives for this long, the payload is taken as complete. */
const IDLE_MS = 1_000;
/** The limit for the whole payload: no host gives a hook longer. */
const WHOLE_MS = 5_000;

/**
 * The payload on stdin, up to the end of its JSON: the sender may keep the pipe open, or have passed it to another
 * process. If the JSON does not end, returns what arrived before the time limit. Null if it is larger than `max`.
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

/**
 * True if reading cannot block forever. A file ends; at a terminal there is a person; a pipe can be made
 * non-blocking.
 */
function isSafeToRead(): boolean {
  const stat = fstatSync(0);
  return stat.isFile() || stat.isCharacterDevice() || (process.platform !== "win32" && setNonBlocking());
}

/** The number of bytes read; 0 at the end, null if there is nothing yet. */
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
 * Makes a pipe or socket non-blocking. Node's `process.stdin` does the same, but loads the network code first, which
 * takes longer than the rest of a hook. False if Node does not allow it; then `process.stdin` is used.
 */
function setNonBlocking(): boolean {
  try {
    // `--pending-deprecation` would print a warning in the agent's terminal.
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
