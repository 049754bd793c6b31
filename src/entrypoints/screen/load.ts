import { join } from "node:path";
import { findHomeFlag } from "../../config.ts";
import { loadCompiledScript } from "../../lib/compiled-script.ts";

const home = findHomeFlag(process.argv);
/** The screen of a chat, packed into one file by the build, as `cli/load.ts` loads the command line. */
const { value, keep } = loadCompiledScript({ name: "screen", path: join(__dirname, "screen-pack.js") }, [
  join(__dirname, "compiled"),
  ...(home === null ? [] : [join(home, "compiled")]),
]);
const program = { exports: {} as { readonly done: Promise<number> } };
const define = value as (...wrapped: readonly unknown[]) => void;
define(program.exports, require, program, join(__dirname, "screen-pack.js"), __dirname);
void program.exports.done.then((code) => {
  keep(1);
  // A thread that does not end is not waited for.
  process.exit(code);
});
