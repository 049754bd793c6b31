import { join } from "node:path";
import { compiled } from "../../lib/compiled.ts";
import type { hook } from "./main.ts";

/** What nearly every hook needs, in one file that the build makes. */
export function loadHook(home: string | null): LoadedHook {
  const folder = join(__dirname, "hook");
  try {
    const { value, keep } = compiled(
      { name: "hook", path: join(folder, "pack.js") },
      home === null ? [] : [join(home, "compiled")],
    );
    const modules = new Modules(folder, value as Record<string, Define>);
    return { ...(modules.load(MAIN) as Main), keep: () => keep(modules.used) };
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
