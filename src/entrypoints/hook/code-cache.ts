import { join } from "node:path";
import { loadCompiledScript } from "../../lib/compiled-script.ts";
import type { runHook } from "./main.ts";

/** Loads the hook from packs that the build makes: one file with what nearly every hook needs, others with the rest. */
export function loadHook(home: string | null): LoadedHook {
  const folder = join(__dirname, "hook");
  try {
    const modules = new Modules(folder, home === null ? [] : [join(home, "compiled")]);
    return { ...(modules.load(MAIN) as HookMain), keep: () => modules.keep() };
  } catch {
    // The pack is missing or unusable; load the original files.
    return { ...(require(join(folder, MAIN)) as HookMain), keep: () => {} };
  }
}

const MAIN = "main.cjs";
const FIRST_PACK = "hook";
interface HookMain {
  readonly runHook: typeof runHook;
}

interface LoadedHook extends HookMain {
  /** Caches the compiled code for the next hook, if parts ran that the cache does not cover. */
  keep(): void;
}

/** The parameters of Node's module wrapper: `exports`, `require`, `module`, `__filename`, `__dirname`. */
type Define = (...wrapped: readonly unknown[]) => void;

interface Pack {
  /** The file's function, or the name of the pack that contains it. */
  readonly files: Readonly<Record<string, Define | string>>;
  readonly names: readonly string[];
  /** One bit for each file that was loaded. */
  used: number;
  keep(used: number): void;
}

/** The packed files, by the names they are required with. */
class Modules {
  readonly #folder: string;
  readonly #kept: readonly string[];
  readonly #packs = new Map<string, Pack>();

  constructor(folder: string, kept: readonly string[]) {
    this.#folder = folder;
    this.#kept = kept;
  }

  load(name: string): object {
    const path = join(this.#folder, name);
    const known = require.cache[path];
    if (known !== undefined) return known.exports as object;
    const found = this.#find(name);
    if (found === undefined) return require(path) as object;
    const module = { id: path, filename: path, loaded: false, exports: {}, children: [], paths: [] };
    // Registered with Node too, because files outside the packs require these.
    require.cache[path] = module as unknown as NodeJS.Module;
    found(module.exports, (id: string) => this.#ask(id), module, path, this.#folder);
    module.loaded = true;
    return module.exports;
  }

  keep(): void {
    for (const pack of this.#packs.values()) pack.keep(pack.used);
  }

  #find(name: string): Define | undefined {
    const first = this.#pack(FIRST_PACK);
    const there = first.files[name];
    const pack = typeof there === "string" ? this.#other(there) : first;
    const define = pack?.files[name];
    if (pack === undefined || typeof define !== "function") return undefined;
    pack.used |= 1 << pack.names.indexOf(name);
    return define;
  }

  /** Undefined if the pack is unusable; the original files are loaded instead. */
  #other(name: string): Pack | undefined {
    try {
      return this.#pack(name);
    } catch {
      return undefined;
    }
  }

  #pack(name: string): Pack {
    const known = this.#packs.get(name);
    if (known !== undefined) return known;
    const { value, keep } = loadCompiledScript({ name, path: join(this.#folder, `${name}.pack.js`) }, this.#kept);
    const files = value as Pack["files"];
    const made = { files, names: Object.keys(files), used: 0, keep };
    this.#packs.set(name, made);
    return made;
  }

  #ask(id: string): object {
    if (id.startsWith("./")) return this.load(id.slice(2));
    return require(id.startsWith("../") ? join(this.#folder, id) : id) as object;
  }
}
