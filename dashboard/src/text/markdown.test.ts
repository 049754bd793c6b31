import { describe, expect, it } from "vitest";
import { parseInline, parseMarkdown } from "./markdown.ts";

const text = (value: string) => ({ kind: "text", text: value });

describe("markdown", () => {
  it("has headings, paragraphs, rules, quotes and code", () => {
    expect(parseMarkdown("# One\n\nTwo\nlines\n\n---\n> said\n\n```ts\nconst a = '<b>';\n```\nend")).toEqual([
      { kind: "heading", level: 1, children: [text("One")] },
      { kind: "paragraph", children: [text("Two\nlines")] },
      { kind: "rule" },
      { kind: "quote", children: [{ kind: "paragraph", children: [text("said")] }] },
      { kind: "code", language: "ts", text: "const a = '<b>';" },
      { kind: "paragraph", children: [text("end")] },
    ]);
  });

  it("shows code that is still being written", () => {
    expect(parseMarkdown("see\n```sh\nnpm te")).toEqual([
      { kind: "paragraph", children: [text("see")] },
      { kind: "code", language: "sh", text: "npm te" },
    ]);
  });

  it("has lists in lists, and numbers that start anywhere", () => {
    const item = (value: string) => ({ kind: "paragraph", children: [text(value)] });
    expect(parseMarkdown("- a\n  - b\n  - c\n- d\n\n3. e\n4. f")).toEqual([
      {
        kind: "list",
        start: null,
        items: [[item("a"), { kind: "list", start: null, items: [[item("b")], [item("c")]] }], [item("d")]],
      },
      { kind: "list", start: 3, items: [[item("e")], [item("f")]] },
    ]);
  });

  it("has tables", () => {
    expect(parseMarkdown("| a | b |\n|---|---|\n| 1 | `x\\|y` |")).toEqual([
      { kind: "table", head: [[text("a")], [text("b")]], rows: [[[text("1")], [{ kind: "code", text: "x|y" }]]] },
    ]);
  });

  it("marks words, and leaves names with underscores and stars between spaces alone", () => {
    expect(parseInline("**a** _b_ ~~c~~ `d_e` snake_case_name 2 * 3 * 4")).toEqual([
      { kind: "strong", children: [text("a")] },
      text(" "),
      { kind: "emphasis", children: [text("b")] },
      text(" "),
      { kind: "strike", children: [text("c")] },
      text(" "),
      { kind: "code", text: "d_e" },
      text(" snake_case_name 2 * 3 * 4"),
    ]);
  });

  it("makes links of web addresses only, and never loads an image", () => {
    expect(parseInline("[a](https://example.org/x) https://example.org/y. ![p](https://evil.example/p.png)")).toEqual([
      { kind: "link", href: "https://example.org/x", children: [text("a")] },
      text(" "),
      { kind: "link", href: "https://example.org/y", children: [text("https://example.org/y")] },
      text(". "),
      { kind: "image", href: "https://evil.example/p.png", text: "p" },
    ]);
    for (const href of ["javascript:alert(1)", "data:text/html,x", "/rules", "//evil.example", "file:///etc/passwd"])
      expect(parseInline(`[a](${href})`).every((one) => one.kind === "text")).toBe(true);
  });

  it("takes HTML for text", () => {
    expect(parseMarkdown("<img src=x onerror=alert(1)>")).toEqual([
      { kind: "paragraph", children: [text("<img src=x onerror=alert(1)>")] },
    ]);
  });

  it("reads any text of marks, and loses no word of it", () => {
    for (const mark of ["*", "_", "`", "[", "![", "~~", "<", "> ", "- ", "1. ", "|", "#", "\\", "***", "[a]("])
      for (const times of [1, 7, 3_000]) {
        const found = JSON.stringify(parseMarkdown(`${mark.repeat(times)}word`));
        expect(found).toContain("word");
      }
  });
});
