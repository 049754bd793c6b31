import { describe, expect, it } from "vitest";
import { showControls } from "./show-controls.ts";

describe("characters that are not seen", () => {
  it("are spelled out", () => {
    expect(showControls("rm \u001b[2K\u202etxt.exe\u0007")).toBe("rm \\u{1b}[2K\\u{202e}txt.exe\\u{7}");
  });

  it("stay if they belong to a text: lines, tabs, joined emoji", () => {
    expect(showControls("a\n\tb 👩‍👧")).toBe("a\n\tb 👩‍👧");
  });
});
