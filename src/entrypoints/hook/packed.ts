import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import type { hook } from "./main.ts";

/**
 * What nearly every hook needs, in one file that the build makes, and beside the mind what V8 made of it. A process for
 * each tool call spends most of its own time on finding, reading and compiling the same code again; this spares it that.
 */
export function loadHook(home: string | null): LoadedHook {
  const folder = join(__dirname, "hook");
  try {
    const source = readFileSync(join(folder, "pack.js"), "utf8");
    // Its name is a hash of all of it: V8 itself would take any source of the same length for the same.
    const name = `hook-${source.slice(3, 19)}-${process.version}-${process.arch}.bin`;
    const file = home === null ? null : join(home, "compiled", name);
    const kept = file === null ? null : readKept(file);
    const script = new Script(source, {
      filename: join(folder, "pack.js"),
      ...(kept === null ? {} : { cachedData: kept.code }),
    });
    const before = kept === null || script.cachedDataRejected === true ? 0 : kept.used;
    const modules = new Modules(folder, script.runInThisContext() as Record<string, Define>);
    return {
      ...(modules.load(MAIN) as Main),
      keep: () => {
        if (file !== null && (modules.used & ~before) !== 0) keep(file, script, modules.used | before);
      },
    };
  } catch {
    // No pack, or none that can be used: the files it was made of are there.
    return { ...(require(join(folder, MAIN)) as Main), keep: () => {} };
  }
}

const MAIN = "main.cjs";
interface Main {
  readonly hook: typeof hook;
}

interface LoadedHook extends Main {
  /** Once more of the code has run than what is kept knows of: kept for the next hook. */
  keep(): void;
}

/** As Node wraps a file: `exports`, `require`, `module`, its name and its folder. */
type Define = (...wrapped: readonly unknown[]) => void;

/** The packed files under the names by which they ask for one another. */
class Modules {
  /** One bit for each that was asked for. */
  used = 0;
  readonly #folder: string;
  readonly #files: Readonly<Record<string, Define>>;
  readonly #names: readonly string[];

  constructor(folder: string, files: Readonly<Record<string, Define>>) {
    this.#folder = folder;
    this.#files = files;
    this.#names = Object.keys(files);
  }

  load(name: string): object {
    const path = join(this.#folder, name);
    const known = require.cache[path];
    if (known !== undefined) return known.exports as object;
    const define = this.#files[name];
    if (define === undefined) return require(path) as object;
    this.used |= 1 << this.#names.indexOf(name);
    const module = { id: path, filename: path, loaded: false, exports: {}, children: [], paths: [] };
    // Known to Node too: files that are not packed ask it for these.
    require.cache[path] = module as unknown as NodeJS.Module;
    define(module.exports, (id: string) => this.#ask(id), module, path, this.#folder);
    module.loaded = true;
    return module.exports;
  }

  #ask(id: string): object {
    if (id.startsWith("./")) return this.load(id.slice(2));
    return require(id.startsWith("../") ? join(this.#folder, id) : id) as object;
  }
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
  let sum = 0;
  for (let at = 0; at + 4 <= code.length; at += 256) sum = (Math.imul(sum, 31) + code.readUInt32LE(at)) >>> 0;
  return sum;
}

/** Beside it first, then moved: another hook never sees half of it. What cannot be written is made again each time. */
function keep(file: string, script: Script, used: number): void {
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
  } catch {
    // A full disk, a home that is read only: the hook was answered, and the next one does without.
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
