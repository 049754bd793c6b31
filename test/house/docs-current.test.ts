import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pages } from "../../scripts/docs-text.ts";
import { commands } from "../../src/entrypoints/cli/commands.ts";
import { operations } from "../../src/operations.ts";
import { root } from "./source.ts";
import { named, tableRows } from "./table.ts";

const written = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`),
];

describe("the documentation", () => {
  it.each(pages)("is that of the source: $path (renew with: node scripts/make-docs.mjs)", async (page) => {
    const text = read(page.path);
    expect(await page.text(text)).toBe(text);
  });

  it("tells of every operation and every command", () => {
    const text = read("docs/cli.md");
    const onCli = operations.filter((one) => one.surfaces.includes("cli"));
    const missing = [...onCli, ...commands].filter((one) => !text.includes(`### oldhand ${one.name}\n`));
    expect(missing.map((one) => one.name)).toEqual([]);
  });

  it("says of every input what it is", () => {
    const silent = operations.flatMap((one) =>
      Object.entries(one.input.shape)
        .filter(([, shape]) => !(shape as { description?: string }).description)
        .map(([name]) => `${one.name}: ${name}`),
    );
    expect(silent).toEqual([]);
  });

  it("leads nowhere that is not there", () => {
    const broken = written.flatMap((path) =>
      [...read(path).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
        .map((found) => found[1] ?? "")
        .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(path), link)))
        .map((link) => `${path} → ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it("speaks of the project alone: no place outside it", () => {
    const outside = written.filter((path) => /\/work\/|\/tmp\/|\.\.\/shared/.test(read(path)));
    expect(outside).toEqual([]);
  });

  it("keeps decisions short: context, choice, price", () => {
    const odd = written
      .filter((path) => path.startsWith("docs/decisions/"))
      .filter((path) => {
        const text = read(path);
        return (
          text.trimEnd().split("\n").length > 15 ||
          !["Context", "Choice", "Price"].every((part) => text.includes(`**${part}.**`))
        );
      });
    expect(odd).toEqual([]);
  });
});

describe("docs/features.md", () => {
  const rows = tableRows("docs/features.md", ["id", "state", "shown by"]);
  const counts = { A: 21, B: 24, C: 11, D: 14, E: 9, F: 13, G: 16, H: 14, I: 12 };

  it("has every row once", () => {
    const wanted = Object.entries(counts).flatMap(([group, most]) =>
      Array.from({ length: most }, (_one, index) => `${group}${index + 1}`),
    );
    expect(rows.map((row) => row["id"])).toEqual(wanted);
  });

  it("says of each row that it is done, partly done, or to come", () => {
    expect(
      rows.filter((row) => !["done", "partly", "to come"].includes(row["state"] ?? "")).map((row) => row["id"]),
    ).toEqual([]);
  });

  it("calls a row done only where a test shows it, and names tests that are there", () => {
    const unshown = rows.filter(
      (row) => row["state"] === "done" && !named(row["shown by"]).some((path) => path.includes(".test.")),
    );
    const missing = rows.flatMap((row) =>
      named(row["shown by"]).filter((path) => path.includes("/") && !existsSync(join(root, path))),
    );
    expect({ unshown: unshown.map((row) => row["id"]), missing }).toEqual({ unshown: [], missing: [] });
  });
});

function read(path: string): string {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
}
