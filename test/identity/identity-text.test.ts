import { describe, expect, it } from "vitest";
import { composeIdentity, compareIdentityFile } from "../../src/recall/identity/identity.ts";
import { readStartingRules, fillTemplate, templateNames } from "../../src/recall/templates.ts";

const parts = [
  { name: "HARNESS.md", text: "# Harness\n" },
  { name: "USER.md", text: "- Call me Ada" },
  {
    name: "SOUL.md",
    text: "# Soul\r\n\r\n<!-- for the\nowner -->\r\n\r\n\r\n## Values <!-- protected -->\r\n- Be true\r\n",
  },
  { name: "SHIELD.md", text: "\ufeff# Shield\n- No secrets\n" },
];

describe("the identity a session starts with", () => {
  it("has the weightiest first, and says that it holds over the others", () => {
    const text = composeIdentity(parts, 1_000);
    expect(text.match(/^\[.*\]$/gm)).toEqual(["[SHIELD.md]", "[SOUL.md]", "[USER.md]", "[HARNESS.md]"]);
    expect(text).toMatch(
      /^Who you are\. If these files disagree, the earlier one wins: SHIELD\.md, SOUL\.md, USER\.md/,
    );
  });

  it("is the same to the byte for the same files, in whatever order and with whatever line ends they come", () => {
    const text = composeIdentity(parts, 1_000);
    expect(composeIdentity(parts.toReversed(), 1_000)).toBe(text);
    expect(
      composeIdentity(
        parts.map((part) => ({ ...part, text: part.text.replaceAll("\r\n", "\n") })),
        1_000,
      ),
    ).toBe(text);
    expect(text).toContain("# Soul\n\n## Values\n- Be true\n\n[USER.md]");
    expect(text).not.toMatch(/<!--|\r|\ufeff|\n\n\n/);
  });

  it("never is longer than its limit; what is cut is cut from the end, by whole lines, and said", () => {
    const whole = composeIdentity(parts, 1_000);
    for (let limit = 0; limit <= whole.length + 1; limit++) {
      const text = composeIdentity(parts, limit);
      expect(text.length).toBeLessThanOrEqual(limit);
      if (text === whole || text === "") continue;
      expect(text).toContain("[SHIELD.md]");
      expect(text.split("\n").at(-1)).toContain("(cut here");
      expect(whole.startsWith(text.split("\n").slice(0, -1).join("\n"))).toBe(true);
    }
    expect(composeIdentity(parts, whole.length)).toBe(whole);
  });

  it("is nothing where there are no files", () => {
    expect(composeIdentity([], 1_000)).toBe("");
    expect(composeIdentity([{ name: "SOUL.md", text: "<!-- nothing yet -->\n" }], 1_000)).toBe("");
  });
});

describe("a file and the mind", () => {
  it("are in step, or the one that changed counts; where both did, both do if they can", () => {
    expect(compareIdentityFile(null, null, null)).toEqual({ kind: "none" });
    expect(compareIdentityFile(null, "a\n", "a\n")).toEqual({ kind: "behind", text: "a\n" });
    expect(compareIdentityFile("a\r\n", null, "a\n")).toEqual({ kind: "same", text: "a\n" });
    expect(compareIdentityFile("b\n", "a\n", "a\n")).toEqual({ kind: "edited", text: "b\n" });
    expect(compareIdentityFile("a\n", "a\n", "b\n")).toEqual({ kind: "behind", text: "b\n" });
    expect(compareIdentityFile("a\n", "a\n", null)).toEqual({ kind: "left" });
    expect(compareIdentityFile("A\nb\nc\n", "a\nb\nc\n", "a\nb\nC\n")).toEqual({ kind: "edited", text: "A\nb\nC\n" });
    expect(compareIdentityFile("x\n", "a\n", "y\n")).toEqual({ kind: "edited", text: "x\n" });
  });
});

describe("the templates", () => {
  it.each(templateNames)("render whole: %s", (name) => {
    const text = fillTemplate(name, { name: "Ada  \n Lovelace", address: "Boss" });
    expect(text).not.toMatch(/\{\{|\}\}/);
    expect(text.endsWith("\n")).toBe(true);
    if (name === "soul") expect(text).toContain("Name: Ada Lovelace\n");
    if (name === "user") expect(text).toBe("Address the user as Boss.\n");
  });

  it("refuse to leave a place open", () => {
    expect(() => fillTemplate("soul", {})).toThrow("needs name");
  });

  it("offer ten rules, each once", () => {
    expect(new Set(readStartingRules()).size).toBe(10);
  });

  it("all fit into what a session may start with", () => {
    const all = templateNames.map((name) => ({
      name: `${name.toUpperCase()}.md`,
      text: fillTemplate(name, { name: "Ada", address: "Boss" }),
    }));
    expect(composeIdentity(all, 6_000)).not.toContain("(cut here");
  });
});
