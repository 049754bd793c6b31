import { describe, expect, it } from "vitest";
import { linearRegex } from "./linear-regex.ts";

function fits(source: string, text: string): boolean {
  const regex = linearRegex(source);
  if (regex.kind === "refused") throw new Error(regex.why);
  return regex.test(text);
}

describe("a regular expression in linear time", () => {
  it("answers as JavaScript's own does, where both know the notation", () => {
    const sources = [
      "git\\s+push",
      "^git (push|pull)$",
      "a+b*c?",
      "x{2,3}y",
      "x{2}",
      "[a-c_-]+\\d",
      "[^ab]c",
      "\\bforce\\b",
      "rm -rf /(?!tmp)",
      "(?=.*--force)git push",
      "(a|ab)(c|bcd)(d*)",
      "(?:foo|bar)+baz",
      "a|b|",
      "\\w+@\\w+\\.com",
      "[]a]",
      "x{,2}y",
    ];
    const texts = [
      "",
      "git push",
      "git  push --force",
      "git pull",
      "abc",
      "aabbc",
      "xxy",
      "xxxxy",
      "a_b-c7",
      "force",
      "enforced",
      "rm -rf /tmp/x",
      "rm -rf /usr",
      "abcd",
      "foobarbaz",
      "me@x.com",
      "]",
      "y",
      "bc",
      "dc",
    ];
    for (const source of sources) {
      // Python reads a leading `]` as a literal, and a missing lower bound as 0.
      const ours = source === "[]a]" ? /[\]a]/ : source === "x{,2}y" ? /x{0,2}y/ : new RegExp(source);
      for (const text of texts) expect([source, text, fits(source, text)]).toEqual([source, text, ours.test(text)]);
    }
  });

  it("knows what only Python writes: named groups, leading flags, \\A and \\Z, comments", () => {
    expect(fits("(?P<verb>push|pull)", "git pull")).toBe(true);
    expect(fits("(?i)GIT push", "git PUSH")).toBe(true);
    expect(fits("\\Agit\\Z", "git")).toBe(true);
    expect(fits("\\Agit\\Z", "git push")).toBe(false);
    expect(fits("a(?#or not)b", "ab")).toBe(true);
    expect(fits("(?m)^push$", "git\npush")).toBe(true);
  });

  it("refuses, with the reason, what linear time cannot do or nobody knows", () => {
    const why = (source: string) => {
      const regex = linearRegex(source);
      return regex.kind === "refused" ? regex.why : null;
    };
    expect(why("(a)\\1")).toContain("backreferences");
    expect(why("(?P<x>a)(?P=x)")).toContain("backreferences");
    expect(why("(?<=a)b")).toContain("behind");
    expect(why("(?(1)a|b)")).toContain("conditions");
    expect(why("a*+")).toContain("possessive");
    expect(why("(a")).toContain("without a )");
    expect(why("a)")).toContain("without a (");
    expect(why("*a")).toContain("nothing to repeat");
    expect(why("\\k")).toContain("not known");
    expect(why("((((a{1000}){1000}){1000}){1000})")).toContain("too large");
  });

  it("takes no longer for what makes others try for ever", () => {
    for (const source of ["(a+)+$", "(a|a)*b", "(.*a){12}x", "(?:(?:a*)*)*c"]) {
      // With backtracking, the first of these would practically never finish.
      expect(fits(source, `${"a".repeat(1_500)}!`)).toBe(false);
    }
  });
});
