import { join } from "node:path";
import { isatty } from "node:tty";
import { findHomeFlag } from "../../config.ts";
import { loadCompiledScript } from "../../lib/compiled-script.ts";

// Elsewhere a chat works line by line.
if (canShowScreen(process.argv)) loadScreen();
else require(join(__dirname, "cli.cjs"));

function canShowScreen(words: readonly string[]): boolean {
  const isPlain = words.some((word) => ["--plain", "--help", "-h", "--json"].includes(word));
  return !isPlain && process.env["TERM"] !== "dumb" && isatty(0) && isatty(1);
}

/** The screen of a chat, packed into one file by the build, as `cli/load.ts` loads the command line. */
function loadScreen(): void {
  const home = findHomeFlag(process.argv);
  const { value, keep } = loadCompiledScript({ name: "screen", path: join(__dirname, "screen-pack.js") }, [
    join(__dirname, "compiled"),
    ...(home === null ? [] : [join(home, "compiled")]),
  ]);
  const program = { exports: {} as { readonly left: Promise<number> } };
  const define = value as (...wrapped: readonly unknown[]) => void;
  define(program.exports, require, program, join(__dirname, "screen-pack.js"), __dirname);
  void program.exports.left.then((code) => {
    keep(1);
    // A thread that does not end is not waited for.
    process.exit(code);
  });
}
