import { join } from "node:path";
import { findHomeFlag } from "../../config.ts";
import { loadCompiledScript } from "../../lib/compiled-script.ts";

const home = findHomeFlag(process.argv);
/**
 * The command line, packed into one file by the build. If the pack cannot be loaded, this throws the same error as
 * the pack would.
 */
const { value, keep } = loadCompiledScript({ name: "cli", path: join(__dirname, "cli-pack.js") }, [
  // Shared by every mind; if the package folder is not writable, next to the mind.
  join(__dirname, "compiled"),
  ...(home === null ? [] : [join(home, "compiled")]),
]);
const program = { exports: {} as { readonly done: Promise<number> } };
const define = value as (...wrapped: readonly unknown[]) => void;
const importModule = (id: string): Promise<unknown> => import(id);
define(program.exports, require, program, join(__dirname, "cli-pack.js"), __dirname, importModule);
void program.exports.done.then((code) => {
  process.exitCode = code;
  // Each command compiles other code, so each updates the cache once.
  keep(1 << hashWord(process.argv[2] ?? ""));
});

function hashWord(word: string): number {
  let sum = 0;
  for (const char of word) sum = (sum * 33 + char.charCodeAt(0)) % 31;
  return sum;
}
