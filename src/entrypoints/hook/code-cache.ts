import { join } from "node:path";
import { loadCompiledScript } from "../../lib/compiled-script.ts";
import type { runHook } from "./main.ts";

/** What nearly every hook needs, in one file that the build makes; and what fewer need, in others. */
export function loadHook(home: string | null): LoadedHook {
  const folder = join(__dirname, "hook");
  try {
    const modules = new Modules(folder, home === null ? [] : [join(home, "compiled")]);
    return { ...(modules.load(MAIN) as HookMain), keep: () => modules.keep() };
  } catch {
    // No pack, or none that can be used: the files it was made of are there.
    return { ...(require(join(folder, MAIN)) as HookMain), keep: () => {} };
  }
}

const MAIN = "main.cjs";
const FIRST_PACK = "hook";
interface HookMain {
  readonly runHook: typeof runHook;
}

interface LoadedHook extends HookMain {
  /** Once more of the code has run than what is kept knows of: kept for the next hook. */
  keep(): void;
}

/** As Node wraps a file: `exports`, `require`, `module`, its name and its folder. */
type Define = (...wrapped: readonly unknown[]) => void;

interface Pack {
  /** A file, or the name of the pack that has it. */
  readonly files: Readonly<Record<string, Define | string>>;
  readonly names: readonly string[];
  /** One bit for each file that was asked for. */
  used: number;
  keep(used: number): void;
}

/** The packed files under the names by which they ask for one another. */
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
    // Known to Node too: files that are not packed ask it for these.
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

  /** Undefined where it cannot be used: the files it was made of are there. */
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
