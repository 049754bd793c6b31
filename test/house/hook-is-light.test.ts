import { rolldown } from "rolldown";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "./source.ts";

/** What a hook loads on every tool call of every session, as built. */
const MOST_KILOBYTES = 110;

interface Chunk {
  readonly code: string;
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly moduleIds: readonly string[];
  readonly facadeModuleId: string | null;
}

describe("the hook is light", () => {
  let chunks: ReadonlyMap<string, Chunk>;
  let hook: readonly Chunk[];

  beforeAll(async () => {
    chunks = await bundle("src/entrypoints/oldhand.ts");
    const [first = ""] = [...chunks].find(([, chunk]) => chunk.facadeModuleId?.endsWith("oldhand.ts")) ?? [];
    hook = [...loadedFrom(first)].flatMap((name) => chunks.get(name) ?? []);
  });

  it("loads no library: neither zod nor pg nor hono nor the MCP SDK", () => {
    const libraries = hook.flatMap((chunk) => chunk.moduleIds).filter((id) => id.includes("node_modules"));
    expect(libraries).toEqual([]);
  });

  it("carries no more libraries than the one driver that a PostgreSQL mind needs", () => {
    const names = [...chunks.values()]
      .flatMap((chunk) => chunk.moduleIds)
      .flatMap((id) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []);
    const pg = /^(pg|pg-.*|pgpass|postgres-.*|split2|xtend)$/;
    expect([...new Set(names)].filter((name) => !pg.test(name))).toEqual([]);
  });

  it("never sees the command line, the operations, the servers or the dashboard", () => {
    const strangers = hook
      .flatMap((chunk) => chunk.moduleIds)
      .filter((id) => /src[\\/](operations?\b|entrypoints[\\/](cli|http|mcp)|distil|bench|index\.ts)/.test(id));
    expect(strangers).toEqual([]);
  });

  it(`loads less than ${MOST_KILOBYTES} kB`, () => {
    const size = hook.reduce((sum, chunk) => sum + chunk.code.length, 0) / 1000;
    process.stdout.write(`hook: ${size.toFixed(0)} kB in ${hook.length} files\n`);
    expect(hook.flatMap((chunk) => chunk.moduleIds).some((id) => id.endsWith("to-event.ts"))).toBe(true);
    expect(size).toBeLessThan(MOST_KILOBYTES);
  });

  /** Everything a hook of a SQLite mind can load, whichever the host. */
  function loadedFrom(first: string): ReadonlySet<string> {
    const loaded = new Set<string>();
    const visit = (name: string) => {
      const chunk = chunks.get(name);
      if (chunk === undefined || loaded.has(name) || isForOthers(chunk)) return;
      loaded.add(name);
      [...chunk.imports, ...chunk.dynamicImports].forEach(visit);
    };
    visit(first);
    return loaded;
  }
});

/** Loaded by minds in PostgreSQL, by searches and digests, by those who install or import, and by other hosts than the one that fired. */
function isForOthers(chunk: Chunk): boolean {
  return /[\\/]store[\\/](postgres[\\/]|\w+[\\/](vectors|words)\.ts)|[\\/]hosts[\\/](?!claude-code[\\/]wire\.ts)[^\\/]+[\\/]/.test(
    chunk.facadeModuleId ?? "",
  );
}

/** As scripts/build.mjs does it, in memory: the test tells of the source as it is, not of an older build. */
async function bundle(input: string): Promise<ReadonlyMap<string, Chunk>> {
  const made = await rolldown({
    cwd: root,
    input,
    platform: "node",
    external: ["@photostructure/sqlite", "pg-native"],
    logLevel: "silent",
    plugins: [
      {
        name: "leave-outside",
        resolveId: (id) => (id === "./cli/run.ts" ? { id: "./cli.js", external: true } : null),
      },
    ],
  });
  const { output } = await made.generate({ format: "cjs", minify: true });
  await made.close();
  return new Map(output.flatMap((one) => (one.type === "chunk" ? [[one.fileName, one] as const] : [])));
}
