import { describe, expect, it } from "vitest";
import { matchPath, makePath, sessionPath } from "./route.ts";

describe("matchPath", () => {
  it("finds the parameters of a path", () => {
    expect(matchPath("/sessions/:id", "/sessions/abc")).toEqual({ id: "abc" });
    expect(matchPath("/", "/")).toEqual({});
    expect(matchPath("/sessions", "/sessions/")).toEqual({});
  });

  it("tells apart what does not fit", () => {
    expect(matchPath("/sessions/:id", "/sessions")).toBeNull();
    expect(matchPath("/rules", "/history")).toBeNull();
  });

  it("gives back any id that was put into a link", () => {
    for (const id of ["a/b", "50%", "ä+b&c=d", "?#", "a b"]) {
      const { pathname } = new URL(sessionPath(id), "http://localhost");
      expect(matchPath("/sessions/:id", pathname)).toEqual({ id });
    }
  });

  it("survives a mangled address", () => {
    expect(matchPath("/sessions/:id", "/sessions/%E0%A4%A")).not.toBeNull();
  });
});

describe("pathWith", () => {
  it("leaves out questions without an answer", () => {
    expect(makePath("/sessions", { host: null, before: "" })).toBe("/sessions");
    expect(makePath("/sessions", { host: "codex", at: 0 })).toBe("/sessions?host=codex&at=0");
  });
});
