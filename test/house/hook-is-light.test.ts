import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { owner } from "../../src/domain/actor.ts";
import { bundleHook, codeOf } from "../../scripts/bundle-hook.mjs";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { TOKEN_RULES } from "../../src/domain/redact/rules.ts";
import { openStore } from "../../src/store/open.ts";
import { remember } from "../../src/store/journal/remember.ts";
import { root } from "./source.ts";

/** The most that one hook process may load, on every tool call. Half of it is redaction. Currently 124 kB. */
const MOST_KILOBYTES = 125;
/** Packed into one, but each is read separately if the pack cannot be used. */
const MOST_FILES = 9;

interface Chunk {
  readonly fileName: string;
  readonly moduleIds: readonly string[];
}

/** Inside the package, so that the program finds its SQLite; bundled as in the build, from the current source. */
const folder = join(root, `.dist-light-${process.pid}`);
const list = join(folder, "loaded.json");

describe("the hook is light", () => {
  let chunks: readonly Chunk[];

  beforeAll(async () => {
    chunks = (await bundleHook(root, folder)).filter((one) => one.type === "chunk");
    // Listed by Node itself at exit: the process ends by `reallyExit`, without exit handlers.
    writeFileSync(
      join(folder, "listen.cjs"),
      `const leave = process.reallyExit;
       process.reallyExit = (code) => {
         const { writeFileSync } = require("node:fs");
         writeFileSync(process.env.LOADED_LIST, JSON.stringify(Object.keys(require.cache)));
         leave.call(process, code);
       };`,
    );
    mkdirSync(join(folder, "mind"), { mode: 0o700 });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("stores a failed call with less than it may load, and with no library", () => {
    // The first hook creates the mind and loads the migrations for that.
    run(failed);
    const loaded = run(failed);
    const kilobytes = loaded.reduce((sum, file) => sum + statSync(file).size, 0) / 1_000;
    process.stdout.write(`hook, a stored failure: ${kilobytes.toFixed(0)} kB in ${loaded.length} files\n`);
    expect(existsSync(join(folder, "mind", "mind.db"))).toBe(true);
    expect(modulesOf(loaded).some((id) => id.endsWith("to-event.ts"))).toBe(true);
    expect(strangersIn(loaded)).toEqual([]);
    expect(kilobytes).toBeLessThan(MOST_KILOBYTES);
    expect(loaded.length).toBeLessThanOrEqual(MOST_FILES);
  });

  it("judges a call that is about to run without the tables of redaction", () => {
    const loaded = run(before);
    expect(modulesOf(loaded).some((id) => /domain[\\/]redact/.test(id))).toBe(false);
    expect(strangersIn(loaded)).toEqual([]);
  });

  it("loads no store where there is nothing to store or to say", () => {
    expect(modulesOf(run(other)).filter((id) => /[\\/]store[\\/]/.test(id))).toEqual([]);
    expect(modulesOf(run(failed, { OLDHAND_OFF: "1" })).filter((id) => /[\\/]store[\\/]/.test(id))).toEqual([]);
  });

  it("loads the miners at a stop only where there is something to mine, and never for a call", () => {
    const miners = (loaded: readonly string[]) => loaded.filter((file) => file.endsWith("miner.cjs"));
    expect(miners(run({ ...failed, tool_use_id: "c" }))).toEqual([]);
    expect(miners(speaking(stop).loaded)).toHaveLength(1);
    // A slice is limited: on a busy machine the next one finishes the work.
    const stops = Array.from({ length: 5 }, () => miners(speaking(stop).loaded));
    expect(stops).toContainEqual([]);
  });

  it("reads the tables of redaction as they were written", async () => {
    const tables = { TOKEN_RULES };
    const made = (await import(`data:text/javascript,${encodeURIComponent(codeOf(tables))}`)) as typeof tables;
    for (const [name, table] of Object.entries(tables)) {
      const read: readonly object[] = made[name as keyof typeof tables];
      expect(read).toHaveLength(table.length);
      const columns = [...new Set(table.flatMap((row) => Object.keys(row)))];
      const cellsOf = (row: object) => columns.map((column) => Reflect.get(row, column) as unknown);
      expect(read.map(cellsOf)).toEqual(table.map(cellsOf));
    }
  });

  it("finds memories by words alone, with its packs and without: no vector is read, and no embedder loaded", async () => {
    run(failed);
    const store = await openStore({ database: join(folder, "mind", "mind.db"), busyMs: 10_000 });
    const memory = { ...known, scope: { kind: "global" } as const, origin: "owner" as const };
    const remembered = await remember(store.db, memory, {
      actor: owner,
      cause: { kind: "operation", id: "remember", note: null },
      at: 1,
      policy: defaultPolicy.memory,
    });
    await store.close();
    expect(remembered.kind).toBe("written");
    const { loaded, said } = speaking(prompt);
    expect(said).toContain(known.text);
    const modules = modulesOf(loaded);
    expect(modules.some((id) => id.endsWith("search-passages.ts"))).toBe(true);
    expect(modules.filter((id) => /src[\\/]models[\\/]|vectors?\b|kernel|vector-matrix|embed/.test(id))).toEqual([]);

    for (const pack of ["hook-moments", "hook-rules"]) rmSync(join(folder, "hook", `${pack}.pack.js`));
    expect(speaking({ ...prompt, session_id: "without packs" }).said).toContain(known.text);
  });

  it("carries no more libraries than the one driver that a PostgreSQL mind needs", () => {
    const names = chunks
      .flatMap((chunk) => chunk.moduleIds)
      .flatMap((id) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []);
    const pg = /^(pg|pg-.*|pgpass|postgres-.*|split2|xtend)$/;
    expect([...new Set(names)].filter((name) => !pg.test(name))).toEqual([]);
  });

  /** The files of oldhand that `oldhand hook claude-code` has loaded at exit. */
  function run(payload: object, more: Readonly<Record<string, string>> = {}): readonly string[] {
    const { loaded, said } = speaking(payload, more);
    expect(said).toBe("");
    return loaded;
  }

  function speaking(payload: object, more: Readonly<Record<string, string>> = {}) {
    const ran = spawnSync(
      process.execPath,
      ["--require", join(folder, "listen.cjs"), join(folder, "oldhand.cjs"), "hook", "claude-code"],
      {
        input: JSON.stringify({ session_id: "light", cwd: tmpdir(), transcript_path: "none", ...payload }),
        env: { HOME: folder, OLDHAND_HOME: join(folder, "mind"), LOADED_LIST: list, ...more },
        encoding: "utf8",
      },
    );
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    const loaded = JSON.parse(readFileSync(list, "utf8")) as string[];
    return { loaded: loaded.filter((file) => !file.endsWith("listen.cjs")), said: ran.stdout };
  }

  function modulesOf(files: readonly string[]): readonly string[] {
    return chunks
      .filter((chunk) => files.includes(join(folder, "hook", chunk.fileName)))
      .flatMap((chunk) => chunk.moduleIds);
  }

  /** Libraries, and code that a hook must not load. */
  function strangersIn(files: readonly string[]): readonly string[] {
    return [
      ...files.filter((file) => !file.startsWith(folder)),
      ...modulesOf(files).filter((id) =>
        /node_modules|src[\\/](operations?\b|entrypoints[\\/](cli|http|mcp)|distil|index\.ts)|[\\/](setup|transcript)\.ts$/.test(
          id,
        ),
      ),
    ];
  }
});

const call = { tool_name: "Bash", tool_input: { command: "git status" }, effort: { level: "medium" } };
const failed = { hook_event_name: "PostToolUseFailure", ...call, tool_use_id: "a", error: "Exit code 1\nfatal: no" };
const before = { hook_event_name: "PreToolUse", ...call, tool_use_id: "b" };
const prompt = { hook_event_name: "UserPromptSubmit", prompt: "publish the parser package with pnpm" };
const known = { text: "The parser package is published with pnpm from the release branch" };
const stop = { hook_event_name: "Stop", stop_hook_active: true };
const other = { hook_event_name: "Notification", message: "hello" };
