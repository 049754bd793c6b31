import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

export interface CompiledScript {
  /** What the script gives. */
  readonly value: unknown;
  /** Keeps what V8 made of the script, where more of it has run than before: one bit for each of its parts. */
  keep(used: number): void;
}

/**
 * A script that the build made, and what V8 made of it: a process for one command spends most of its own time on compiling
 * the same code again. That is read from the first of the folders that has it, and kept in the first that takes it. The
 * script is ASCII and begins with a hash of itself.
 */
export function loadCompiledScript(
  { name: label, path }: { readonly name: string; readonly path: string },
  folders: readonly string[],
): CompiledScript {
  const source = readFileSync(path, "latin1");
  // Its name is a hash of all of it: V8 itself would take any source of the same length for the same.
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
  // V8 trusts what it is given. A machine that lost power may have left a file with holes.
  if (all.readUInt32LE(4) !== code.length || all.readUInt32LE(8) !== sampleOf(code)) return null;
  return { used: all.readUInt32LE(0), code };
}

/** Some of every stretch that a disk writes as one. */
function sampleOf(code: Buffer): number {
  const words = new Uint32Array(code.buffer, code.byteOffset, code.length >> 2);
  let sum = 0;
  for (let at = 0; at < words.length; at += 64) sum = (Math.imul(sum, 31) + (words[at] ?? 0)) >>> 0;
  return sum;
}

/** Beside it first, then moved: nobody ever sees half of it. What cannot be written is made again each time. */
function keep(file: string, script: Script, used: number): boolean {
  try {
    const folder = join(file, "..");
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // There already; or no place for it, which shows in a moment.
  }
  try {
    const beside = `${file}.${process.pid}`;
    // Before the work that it takes: where nothing can be written, none of it is done.
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
    // A full disk, a folder that is read only: the work is done, and the next one does without.
    return false;
  }
}

const WEEK_MS = 7 * 24 * 3_600_000;

/** Of other versions, and what a killed hook left. */
function forgetOld(folder: string, mine: string): void {
  const { mtimeMs } = statSync(mine);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path !== mine && mtimeMs - statSync(path).mtimeMs > WEEK_MS) rmSync(path, { force: true });
  }
}
