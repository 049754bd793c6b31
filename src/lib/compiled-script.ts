import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

export interface CompiledScript {
  /** The value of the script. */
  readonly value: unknown;
  /** Caches V8's code if more parts have run than the cache covers. `used` has one bit for each part. */
  keep(used: number): void;
}

/**
 * Loads a script that the build made, with V8's code cache: a process for one command would spend most of its time
 * compiling the same code again. The cache is read from the first folder that has it, and written to the first that
 * accepts it. The script is ASCII and begins with a hash of itself.
 */
export function loadCompiledScript(
  { name: label, path }: { readonly name: string; readonly path: string },
  folders: readonly string[],
): CompiledScript {
  const source = readFileSync(path, "latin1");
  // The name contains the hash of the source, because V8 itself only compares the length.
  const name = `${label}-${source.slice(3, 19)}-${process.version}-${process.arch}.bin`;
  const kept = firstKept(folders, name);
  const script = new Script(source, {
    filename: path,
    ...(kept === null ? {} : { cachedData: kept.code }),
  });
  const before = kept === null || script.cachedDataRejected === true ? 0 : kept.used;
  return {
    value: script.runInThisContext(),
    keep: (used) => {
      if ((used & ~before) !== 0) folders.some((folder) => keep(join(folder, name), script, used | before));
    },
  };
}

function firstKept(folders: readonly string[], name: string): Kept | null {
  for (const folder of folders) {
    const kept = readKept(join(folder, name));
    if (kept !== null) return kept;
  }
  return null;
}

interface Kept {
  readonly used: number;
  readonly code: Buffer;
}

const HEADER_BYTES = 12;

function readKept(file: string): Kept | null {
  let all: Buffer;
  try {
    all = readFileSync(file);
  } catch {
    return null;
  }
  if (all.length < HEADER_BYTES) return null;
  const code = all.subarray(HEADER_BYTES);
  // V8 does not verify the cache's content, and a power failure may leave a file with holes.
  if (all.readUInt32LE(4) !== code.length || all.readUInt32LE(8) !== sampleOf(code)) return null;
  return { used: all.readUInt32LE(0), code };
}

/** A checksum over a sample of every disk block. */
function sampleOf(code: Buffer): number {
  const words = new Uint32Array(code.buffer, code.byteOffset, code.length >> 2);
  let sum = 0;
  for (let at = 0; at < words.length; at += 64) sum = (Math.imul(sum, 31) + (words[at] ?? 0)) >>> 0;
  return sum;
}

/**
 * Written to a temporary file and renamed, so that it is never read half written. If it cannot be written, the code
 * is compiled each time.
 */
function keep(file: string, script: Script, used: number): boolean {
  try {
    const folder = join(file, "..");
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It exists already, or cannot be created; then writing fails below.
  }
  try {
    const beside = `${file}.${process.pid}`;
    // Created before the expensive work, which is skipped if nothing can be written.
    writeFileSync(beside, "", { mode: 0o600 });
    const code = script.createCachedData();
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(used >>> 0, 0);
    header.writeUInt32LE(code.length, 4);
    header.writeUInt32LE(sampleOf(code), 8);
    writeFileSync(beside, Buffer.concat([header, code]));
    renameSync(beside, file);
    forgetOld(join(file, ".."), file);
    return true;
  } catch {
    // The disk is full or the folder is read-only. The work is done; the next process runs without a cache.
    return false;
  }
}

const WEEK_MS = 7 * 24 * 3_600_000;

/** Deletes caches of other versions and files that a killed hook left. */
function forgetOld(folder: string, mine: string): void {
  const { mtimeMs } = statSync(mine);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path !== mine && mtimeMs - statSync(path).mtimeMs > WEEK_MS) rmSync(path, { force: true });
  }
}
