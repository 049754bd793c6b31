import { describe, expect, it } from "vitest";
import { canBeSimilar, nameSimilarity } from "./near-name.ts";

describe("how near a name is", () => {
  it.each([
    ["parser.ts", "parser.ts"],
    ["Parser.ts", "parser.ts"],
    ["invoice_total.ts", "invoiceTotal.ts"],
    ["parser.js", "parser.ts"],
    ["config.yml", "config.yaml"],
    ["praser.ts", "parser.ts"],
    ["inmdx.js", "index.js"],
    ["commit_test.go", "manual_commit_test.go"],
    ["README", "README.md"],
  ])("%s is near %s", (typed, name) => {
    expect(nameSimilarity(typed, name)).toBeGreaterThanOrEqual(0.6);
    expect(canBeSimilar(typed, name)).toBe(true);
  });

  it.each([
    ["parser.ts", "server.ts"],
    ["a.js", "b.js"],
    ["invoice.ts", "elephant.ts"],
    ["parser.ts", "parser.png.zip"],
  ])("%s is not near %s", (typed, name) => {
    expect(nameSimilarity(typed, name)).toBeLessThan(0.6);
  });

  it("puts the ending that stands for the other before its relatives", () => {
    const [js, cjs, declared] = ["api.js", "api.cjs", "api.d.ts"].map((name) => nameSimilarity("api.ts", name));
    expect(js).toBeGreaterThan(cjs ?? 1);
    expect(cjs).toBeGreaterThan(declared ?? 1);
  });

  it("takes the next of a series for another, not for a slip", () => {
    expect(nameSimilarity("report-3.md", "report-4.md")).toBeLessThan(nameSimilarity("reprt-3.md", "report-3.md"));
  });
});
