import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadMarkdown, newMarkdownView } from "./markdown.ts";
import { styles } from "./theme.ts";
import { isPlainProse, widthOf, wrapLine } from "./wrap-lines.ts";

const words = fc.array(fc.stringMatching(/^[!-~]{1,14}$| {1,4}/), { maxLength: 30 }).map((all) => all.join(""));
const widths = fc.integer({ min: 1, max: 40 });

describe("lines on the screen", () => {
  it("are wrapped as the library wraps them", () => {
    fc.assert(
      fc.property(words, widths, (text, width) => {
        expect(wrapLine(text, width)).toEqual(wrapTextWithAnsi(text, width));
      }),
    );
    expect(wrapLine("Grüße 你好 Grüße", 8)).toEqual(wrapTextWithAnsi("Grüße 你好 Grüße", 8));
  });

  it("are as wide as the library counts, with styles too", () => {
    fc.assert(
      fc.property(words, (text) => {
        expect(widthOf(styles.bold(styles.red(text)))).toBe(visibleWidth(text));
      }),
    );
    expect(widthOf(styles.dim("你好"))).toBe(4);
  });
});

describe("prose in which Markdown changes nothing", () => {
  beforeAll(loadMarkdown);
  const sentence = fc.stringMatching(/^[A-Za-z0-9 ,.;:'"()?!$%/=-]{1,60}$/);
  const prose = fc.array(sentence, { minLength: 1, maxLength: 4 }).map((all) => `${all.join("\n\n")}\n`);

  it("looks the same as it does as Markdown, apart from blank lines at its end", () => {
    fc.assert(
      fc.property(prose.filter(isPlainProse), widths, (text, width) => {
        const shown = newMarkdownView(text)?.render(width) ?? [];
        const last = shown.findLastIndex((line) => line.trim() !== "");
        const asMarkdown = shown.slice(0, last + 1).map((line) => line.trimEnd());
        const lines = text.trimEnd().split("\n");
        expect(lines.flatMap((line) => wrapLine(line, width))).toEqual(asMarkdown);
      }),
      { numRuns: 500 },
    );
  });

  it("is not seen in what Markdown reads otherwise", () => {
    for (const text of ["# head", "- one", "1. one", "a *b*", "see https://a.org", "a\nb", "    code", "a\n---", "`x`"])
      expect(isPlainProse(text), text).toBe(false);
    expect(isPlainProse("It is done: 3 files (all of them) changed.\n\nNothing else.")).toBe(true);
  });
});
