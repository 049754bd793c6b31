import { describe, expect, it } from "vitest";
import { findLineNumbers, findNearLines } from "./near-lines.ts";

const file = [
  "import { a } from 'a';",
  "",
  "export function total(items) {",
  "\tlet sum = 0;",
  "\tfor (const item of items) sum += item.price;",
  "\treturn sum;",
  "}",
  "",
  "export function count(items) {",
  "\treturn items.length;",
  "}",
].join("\n");

describe("the lines that are like a text", () => {
  it("are those that differ in indentation only, which is named", () => {
    expect(findNearLines(file, "  let sum = 0;\n  for (const item of items) sum += item.price;")).toEqual({
      first: 4,
      last: 5,
      differs: 4,
      only: "indentation",
    });
  });

  it("are told apart by white space inside and by line ends", () => {
    expect(findNearLines("let a  =  1;\nb();", "let a = 1;\nb();")?.only).toBe("white space");
    expect(findNearLines("let a = 1;\r\nb();\r\n", "let a = 1;\nb();")?.only).toBe("line ends");
  });

  it("are where most of its lines stand, from the first that differs", () => {
    const wanted = "\tlet sum = 0;\n\tfor (const item of items) sum += item.cost;\n\treturn sum;";
    expect(findNearLines(file, wanted)).toEqual({ first: 4, last: 6, differs: 5, only: null });
  });

  it("are found where a line is missing or came in between", () => {
    expect(findNearLines(file, "export function total(items) {\n\tlet sum = 0;\n\treturn sum;\n}")).toMatchObject({
      first: 3,
    });
  });

  it("are none where nothing is like it, and none for an empty text", () => {
    expect(findNearLines(file, "class Elephant extends Savannah {\n  trumpet() {}")).toBeNull();
    expect(findNearLines(file, "\n \n")).toBeNull();
    expect(findNearLines("", "x = 1;\ny = 2;\nz = 3;\nq = 4;\nw = 5;")).toBeNull();
  });

  it("tells each line on which a text stands, as many as asked for", () => {
    expect(findLineNumbers("a\nb\na\nb\na", "a", 9)).toEqual([1, 3, 5]);
    expect(findLineNumbers("a\nb\na\nb\na", "a", 2)).toEqual([1, 3]);
    expect(findLineNumbers("a", "", 2)).toEqual([]);
  });
});
