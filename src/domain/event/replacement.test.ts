import { describe, expect, it } from "vitest";
import { findEdits, holdsFragment, findWrittenText } from "../text/edit-text.ts";
import { findReplacement } from "./replacement.ts";

const found = (before: string, after: string) => {
  const one = findReplacement({ before, after });
  return one === null ? null : `${one.from} → ${one.to}`;
};

describe("the smallest thing written in another's place", () => {
  it("is a whole word, whatever letters the two share", () => {
    expect(found('import moment from "moment-tz"', 'import dayjs from "moment-tz"')).toBe("moment → dayjs");
    expect(found("const total = 1", "const totals = 1")).toBe("total → totals");
    expect(found("return utcnow()", "return now()")).toBe("utcnow → now");
  });

  it("takes a neighbour along where one side would be empty", () => {
    expect(found("x = np.bool", "x = bool")).toBe("np.bool → bool");
    expect(found("await fetchAll()", "await tx.fetchAll()")).toBe("fetchAll → tx.fetchAll");
  });

  it("closes the brackets that it opens", () => {
    expect(found("a = datetime.utcnow()", "a = datetime.now(timezone.utc)")).toBe("utcnow() → now(timezone.utc)");
  });

  it("is nothing where text was only added, rewritten over lines, or is a number or a switch", () => {
    expect(found("a", "a\nb")).toBeNull();
    expect(found("one\ntwo", "three\nfour")).toBeNull();
    expect(found("size = 10", "size = 12")).toBeNull();
    expect(found("debug: true", "debug: false")).toBeNull();
    expect(found("same", "same")).toBeNull();
    expect(found(`key = "[redacted:token]"`, "key = env.KEY")).toBeNull();
  });
});

describe("what an edit puts in", () => {
  it("is read from every host's fields and from patches", () => {
    expect(findEdits({ file_path: "a", old_string: "x", new_string: "y" })).toEqual([{ before: "x", after: "y" }]);
    expect(findEdits({ edits: [{ oldText: "x", newText: "y" }] })).toEqual([{ before: "x", after: "y" }]);
    const patch = "*** Begin Patch\n*** Update File: a.py\n@@\n x\n-old\n+new\n y\n*** End Patch";
    expect(findEdits({ input: patch })).toEqual([{ before: "old", after: "new" }]);
    expect(findWrittenText(patch)).toBe("new");
    expect(findWrittenText({ file_path: "a", content: "whole" })).toBe("whole");
    expect(findWrittenText({ file_path: "a" })).toBeNull();
  });

  it("holds a fragment only as a word of its own", () => {
    expect(holdsFragment("x = np.bool", "np.bool")).toBe(true);
    expect(holdsFragment("x = np.bool_", "np.bool")).toBe(false);
    expect(holdsFragment("momentum; moment", "moment")).toBe(true);
    expect(holdsFragment("momentum", "moment")).toBe(false);
  });
});
