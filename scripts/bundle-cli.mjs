// Bundles the command line and the screen of a chat. Separate from the build, so that a test can measure the same files.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { inAscii, isOneOf, packOf, shared, withHash } from "./bundle-hook.mjs";

/** The SDKs of model providers: large, and needed by few commands, so each is a file of its own that both programs load. */
export const sdks = ["anthropic", "openai", "google", "openai-compatible"];

/**
 * Modules of ours with large libraries that few sessions need: web pages, mail, MCP servers. Each is a file of its own
 * that both programs load.
 */
export const toolModules = ["web/readable-text", "web/send-mail", "mcp/mcp-tools"];

/** The command line leaves the SDKs in the files that the library's build makes of them. */
function sdksElsewhere() {
  const known = new Map(sdks.map((name) => [`@ai-sdk/${name}`, `./sdk/${name}.js`]));
  return {
    name: "sdks-elsewhere",
    resolveId: (source) => (known.has(source) ? { id: known.get(source), external: true } : null),
  };
}

/** The command line leaves the table of prices in the file that the library's build makes of it: few commands need it. */
function pricesElsewhere() {
  return {
    name: "prices-elsewhere",
    resolveId: (source) => (source === "@pydantic/genai-prices" ? { id: "./prices.js", external: true } : null),
  };
}

/** Nor is the engine of the queue on PostgreSQL in the command line. */
function bossElsewhere() {
  return {
    name: "boss-elsewhere",
    resolveId: (source) => (source === "pg-boss" ? { id: "./pg-boss.js", external: true } : null),
  };
}

const TIMEKEEPER = `import { EventEmitter } from "node:events";
export const PREVIEW_MAX_COUNT = 0;
export const QUEUES = {};
export default class Timekeeper extends EventEmitter { events = {}; async start() {} async stop() {} }`;

/**
 * We give pg-boss our own connections, and use neither its schedules nor its timers: its pool and its parsers of
 * schedules stay out.
 */
export function leanBoss() {
  const stubs = new Map([
    ["pg-boss/dist/timekeeper.js", TIMEKEEPER],
    ["pg-boss/dist/db.js", "export const TRANSACTION_ROLLBACK_TIMEOUT_MS = 5000; export default class Db {}"],
  ]);
  return {
    name: "lean-boss",
    load: (id) => {
      const path = id.replaceAll("\\", "/");
      const found = [...stubs].find(([end]) => path.endsWith(end));
      return found === undefined ? null : { code: found[1], moduleType: "js" };
    },
  };
}

/** The command line leaves these modules in the files that the library's build makes of them. */
function toolsElsewhere() {
  const known = new Map(toolModules.map((name) => [`./${name}.ts`, `./tools/${name}.js`]));
  const find = (source) => [...known.keys()].find((one) => source.endsWith(one.slice(one.lastIndexOf("/"))));
  return {
    name: "tools-elsewhere",
    resolveId: (source) => (find(source) === undefined ? null : { id: known.get(find(source)), external: true }),
  };
}

/**
 * Bundles the command line into two scripts: otherwise each command would find, read and compile 200 files. Each chunk
 * is a function in them that runs when it is first used, so that a command runs only what it needs. Returns the
 * chunks.
 */
export async function bundleCli(root, folder) {
  const made = await rolldown({
    ...shared,
    input: { run: "src/entrypoints/cli/run.ts" },
    cwd: root,
    plugins: [sdksElsewhere(), pricesElsewhere(), bossElsewhere(), toolsElsewhere()],
  });
  const { output } = await made.generate({
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: { mangle: false },
  });
  await made.close();
  const chunks = output.map(({ code, ...chunk }) => ({
    ...chunk,
    // A script from V8's code cache cannot call import(), so the loader passes in a function that does.
    code: loadedOnUse(code).replaceAll(/\bimport\((?=`[^`$]+`\))/g, "importModule("),
  }));
  const passed = ["importModule", "requireOnUse"];
  const usual = forOperations(chunks);
  const isUsual = ({ fileName }) => usual.has(fileName);
  writeFileSync(join(folder, "cli-pack.js"), packOf(chunks.filter(isUsual), { passed }));
  writeFileSync(
    join(folder, "cli-more-pack.js"),
    packOf(
      chunks.filter((chunk) => !isUsual(chunk)),
      { passed },
    ),
  );
  return chunks;
}

/**
 * Makes an import load when a function first uses it: a file imports what all its functions need, and a command calls
 * few of them. `const require_a = require("./a.cjs")` becomes `requireOnUse("./a.cjs")`, and `require_a.x` becomes
 * `require_a.used.x`. An import that is also used as a whole stays as it is.
 */
function loadedOnUse(code) {
  let lazy = code;
  for (const [all, name, id] of code.matchAll(/\b((?:require|node)_\w+)=require\(("[^"]+")\)/g)) {
    const uses = new RegExp(`\\b${name}\\b(?!=require)`, "g");
    const isWhole = [...code.matchAll(uses)].some(({ index }) => code[index + name.length] !== ".");
    if (!isWhole) lazy = lazy.replace(all, `${name}=requireOnUse(${id})`).replaceAll(uses, `${name}.used`);
  }
  return lazy;
}

/** The names of the chunks that operations may need; the others are only for the commands written by hand. */
function forOperations(chunks) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const isCommand = (name) => byName.get(name)?.moduleIds.some((id) => isOneOf(id, ["entrypoints/cli/commands"]));
  const names = new Set();
  const add = (name) => {
    if (names.has(name) || !byName.has(name)) return;
    names.add(name);
    const { imports, dynamicImports } = byName.get(name);
    for (const other of [...imports, ...dynamicImports]) if (!isCommand(other)) add(other);
  };
  add("run.cjs");
  return names;
}

/** Bundles the screen of a chat: it must be there before anything else is loaded. */
export async function bundleScreen(root, folder) {
  const made = await rolldown({
    ...shared,
    input: "src/entrypoints/screen/run.ts",
    cwd: root,
    treeshake: { moduleSideEffects: false },
    plugins: [noNatives(), lazySegmenters(root)],
  });
  const { output } = await made.generate({ format: "cjs", codeSplitting: false, minify: { mangle: false } });
  await made.close();
  const script = inAscii(`(function(exports,require,module,__filename,__dirname){${output[0].code}\n})`);
  writeFileSync(join(folder, "screen-pack.js"), withHash(script));
}

/** The terminal library finds modified keys on Windows and macOS with native code, which is not bundled. */
function noNatives() {
  const code =
    "export const getNativePlatformHelper = () => undefined; export const getNativeClipboard = () => undefined;";
  return {
    name: "no-natives",
    load: (id) =>
      id.replaceAll("\\", "/").endsWith("pi-tui/dist/native-platform.js") ? { code, moduleType: "js" } : null,
  };
}

/** The terminal library makes two segmenters when it loads, which is a fifth of the time to the first prompt. */
function lazySegmenters(root) {
  const made = /new Intl\.Segmenter\(undefined, \{ granularity: ("\w+") \}\)/g;
  const from = JSON.stringify(join(root, "src/entrypoints/screen/lazy-segmenter.ts"));
  return {
    name: "lazy-segmenters",
    transform(code, id) {
      if (!id.replaceAll("\\", "/").endsWith("pi-tui/dist/utils.js")) return null;
      if ([...code.matchAll(made)].length !== 2)
        throw new Error("the terminal library makes its segmenters in another way");
      return `import { newLazySegmenter } from ${from};\n${code.replaceAll(made, "newLazySegmenter($1)")}`;
    },
  };
}
