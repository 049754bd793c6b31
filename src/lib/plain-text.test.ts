import { describe, expect, it } from "vitest";
import { toPlainText } from "./plain-text.ts";

describe("a plain text", () => {
  it.each([
    ["a colour", "\x1b[31mred\x1b[0m", "red"],
    ["a cursor move", "a\x1b[2Jb\x1b[10;10Hc", "abc"],
    ["a title", "a\x1b]0;owned\x07b", "ab"],
    ["the clipboard", "a\x1b]52;c;cm0gLXJm\x1b\\b", "ab"],
    ["a link", "\x1b]8;;http://evil\x07text\x1b]8;;\x07", "text"],
    ["C1 forms", "a\x9b2Jb\x9d0;owned\x9cc", "abc"],
    ["a device string", "a\x1bP$q\x1b\\b", "ab"],
    ["a reset", "a\x1bcb", "ab"],
    ["carriage returns", "one\r\ntwo\rthree", "one\ntwo\nthree"],
    ["a tab", "\ta", "    a"],
  ])("has no %s", (_what, text, plain) => expect(toPlainText(text)).toBe(plain));

  it("spells out what remains of a broken sequence, and what changes the order of characters", () => {
    expect(toPlainText("a\x1b]0;never ends")).toBe("a\\u{1b}]0;never ends");
    expect(toPlainText("a\u202eb\x00\x08")).toBe("a\\u{202e}b\\u{0}\\u{8}");
  });

  it("keeps letters of all scripts and joined emoji", () => {
    const text = "Grüße 你好 👩‍👩‍👧 می‌خواهم";
    expect(toPlainText(text)).toBe(text);
  });
});
