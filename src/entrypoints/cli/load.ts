import { join } from "node:path";
import { findHomeFlag } from "../../config.ts";
import { type CompiledScript, loadCompiledScript } from "../../lib/compiled-script.ts";
import type * as run from "./run.ts";

const home = findHomeFlag(process.argv);
const folders = [
  // Shared by every mind; if the package folder is not writable, next to the mind.
  join(__dirname, "compiled"),
  ...(home === null ? [] : [join(home, "compiled")]),
];
/** Empty for a text, an id or a path. */
const [command = "", second = ""] = process.argv.slice(2).map((word) => (/^[a-z-]+$/.test(word) ? word : ""));

/** The parameters of Node's module wrapper, `importModule` and `requireOnUse`. */
type Define = (...wrapped: readonly unknown[]) => void;
type Chunks = Readonly<Record<string, Define>>;

const packs: CompiledScript[] = [];
const usual = openPack("cli");
let rest: Chunks | null = null;

/**
 * One of the two files that the build packs the command line into. Each command has its own code cache, so that it
 * reads no code that only others run. If the pack cannot be loaded, this throws the same error as the pack would.
 */
function openPack(name: string): Chunks {
  const pack = loadCompiledScript({ name: `${name}-${command}`, path: join(__dirname, `${name}-pack.js`) }, folders);
  packs.push(pack);
  return pack.value as Chunks;
}

const loaded = new Map<string, { readonly exports: object }>();
const importModule = (id: string): Promise<unknown> => import(id);

/** A chunk runs when it is first loaded. */
function load(id: string): unknown {
  const known = loaded.get(id);
  if (known !== undefined) return known.exports;
  if (!id.startsWith("./")) return require(id);
  const name = id.slice("./".length);
  const define = usual[name] ?? (rest ??= openPack("cli-more"))[name];
  if (define === undefined) return require(id);
  const module = { exports: {} };
  loaded.set(id, module);
  define(module.exports, load, module, join(__dirname, name), __dirname, importModule, requireOnUse);
  return module.exports;
}

/** Loads when `used` is first read. */
function requireOnUse(id: string): { readonly used: unknown } {
  let known: unknown;
  return {
    get used() {
      return (known ??= load(id));
    },
  };
}

/** The program, for a process that runs many commands. */
export const commandLine = load("./run.cjs") as typeof run;

void commandLine.done.then((code) => {
  process.exitCode = code;
  // A mistyped command needs no cache of its own. What follows the first word compiles other code, so it is kept too.
  if (code !== USAGE_EXIT_CODE) for (const pack of packs) pack.keep(1 << hashWord(second));
});

const USAGE_EXIT_CODE = 2;

function hashWord(word: string): number {
  let sum = 0;
  for (const char of word) sum = (sum * 33 + char.charCodeAt(0)) % 31;
  return sum;
}
