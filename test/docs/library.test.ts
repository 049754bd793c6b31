import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { root } from "./console.ts";

/** A program, and what the page says it prints. */
const programs = ["docs/library.md", "docs/testing.md"].flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/```js\n([^]*?)```\n+(?:```text\n([^]*?)```)?/g)].map((found, index) => ({
    name: `${page}, program ${index + 1}`,
    source: found[1] ?? "",
    output: found[2] ?? "",
  }));
});

describe("the programs of the library's pages", () => {
  it("are there", () => {
    expect(programs.length).toBeGreaterThan(0);
  });

  it.each(programs)("run and print what the page shows: $name", ({ source, output }) => {
    const folder = mkdtempSync(join(tmpdir(), "oldhand-library-"));
    try {
      const file = join(folder, "program.mjs");
      const built = (name: string) => pathToFileURL(join(root, "dist", name)).href;
      writeFileSync(
        file,
        source
          .replaceAll('"oldhand"', JSON.stringify(built("index.js")))
          .replaceAll('"oldhand/testing"', JSON.stringify(built("testing.js")))
          .replaceAll("samples/", `${root.replaceAll("\\", "/")}/samples/`),
      );
      const done = spawnSync(process.execPath, [file], {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, OLDHAND_HOME: folder },
      });
      expect(done.stderr).toBe("");
      expect(done.stdout).toBe(output);
      expect(done.status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
