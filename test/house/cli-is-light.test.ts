import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleCli } from "../../scripts/bundle-cli.mjs";
import { bundleHook } from "../../scripts/bundle-hook.mjs";
import { commandIndex } from "../../src/entrypoints/cli/command-index.ts";
import { commands } from "../../src/entrypoints/cli/commands.ts";
import { operationIndex } from "../../src/operation-index.ts";
import { operations } from "../../src/operations.ts";
import { root } from "./source.ts";

describe("the indexes of the command line", () => {
  it("name every operation that can be typed, in the order of the table, and load that very operation", async () => {
    const onCli = operations.filter((one) => one.surfaces.includes("cli"));
    expect(operationIndex.map(({ name, summary }) => ({ name, summary }))).toEqual(
      onCli.map(({ name, summary }) => ({ name, summary })),
    );
    for (const [at, { load }] of operationIndex.entries()) expect(await load()).toContain(onCli[at]);
  });

  it("name every command that is written by hand, in the order of the list, and load that very command", async () => {
    expect(commandIndex.map(({ name, summary }) => ({ name, summary }))).toEqual(
      commands.map(({ name, summary }) => ({ name, summary })),
    );
    for (const [at, { load }] of commandIndex.entries()) expect(await load()).toBe(commands[at]);
  });
});

/** Inside the package, so that the program finds its SQLite; bundled as in the build, from the current source. */
const folder = join(root, `.dist-light-cli-${process.pid}`);
const list = join(folder, "loaded.json");

describe("the command line is light", () => {
  let modulesByChunk: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    // The first files of the program are built with the hook.
    await bundleHook(root, folder);
    const chunks = await bundleCli(root, folder);
    modulesByChunk = new Map(chunks.map(({ fileName, moduleIds }) => [fileName, moduleIds]));
    writeFileSync(
      join(folder, "listen.cjs"),
      `const { Script } = require("node:vm");
       const chunks = [];
       const run = Script.prototype.runInThisContext;
       Script.prototype.runInThisContext = function () {
         return new Proxy(run.call(this), { get: (pack, name) => (chunks.push(name), pack[name]) });
       };
       process.on("exit", () => {
         const builtins = process.moduleLoadList.map((one) => one.replace(/^NativeModule /, ""));
         require("node:fs").writeFileSync(process.env.LOADED_LIST, JSON.stringify({ chunks, builtins }));
       });`,
    );
    mkdirSync(join(folder, "mind"), { mode: 0o700 });
    // Creates the mind and loads the migrations for that.
    run(["status"]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(["rules", "report", "sessions", "memories", "ledger", "history", "config get distil.minCount"])(
    "%s loads no other operations, no server, no embedder and no screen",
    (typed) => {
      const { modules, builtins } = run([...typed.split(" "), "--json"]);
      const unwanted = /src[\\/](?:operations\.ts|entrypoints[\\/](?:http|mcp|screen)|models[\\/]embed)|hono/;
      expect(modules.filter((id) => unwanted.test(id))).toEqual([]);
      expect(modules.filter((id) => /cli[\\/]commands[\\/]/.test(id))).toEqual([]);
      expect(builtins.filter((name) => /^(?:http|https|http2|tls|readline)$/.test(name))).toEqual([]);
    },
  );

  it.each([["--help"], ["help", "rules"], ["frobnicate"]])("%s %s loads no schema and no store", (...typed) => {
    const { modules } = run(typed);
    expect(modules.some((id) => id.endsWith("main.ts"))).toBe(true);
    expect(modules.filter((id) => /zod|src[\\/](?:store|operations)[\\/]/.test(id))).toEqual([]);
  });

  function run(words: readonly string[]) {
    const env = { PATH: process.env["PATH"], HOME: folder, OLDHAND_HOME: join(folder, "mind"), LOADED_LIST: list };
    const args = ["--require", join(folder, "listen.cjs"), join(folder, "oldhand.cjs"), ...words];
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    expect([0, 2], stderr).toContain(status);
    const { chunks, builtins } = JSON.parse(readFileSync(list, "utf8")) as Record<"chunks" | "builtins", string[]>;
    return { modules: chunks.flatMap((name) => modulesByChunk.get(name) ?? []), builtins };
  }
});
