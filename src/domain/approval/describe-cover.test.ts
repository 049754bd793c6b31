import { describe, expect, it } from "vitest";
import { describeCover } from "./describe-cover.ts";

describe("what a yes for the session or for always covers", () => {
  it("is said in words for a person", () => {
    expect(describeCover("edit files of the workspace")).toBe("edit files of the workspace");
    expect(describeCover("shell git push")).toBe(
      "run git push in this workspace, also with other arguments. It asks again if an argument could name a file outside this folder, a file to write, or a program to run",
    );
    expect(describeCover("shell cat")).toMatch(/^run cat in this workspace, also with other arguments\./);
    expect(describeCover("shell sed -n")).toMatch(/^run sed -n in this workspace, also with other arguments\./);
    expect(describeCover("shell rm")).toBe("run rm (exactly this command)");
    expect(describeCover("shell git push --force")).toBe("run git push --force (exactly this command)");
    expect(describeCover("shell npm install")).toBe("run npm install (exactly this command)");
    expect(describeCover("outside: shell npm install")).toBe(
      "run npm install (exactly this command). It runs outside the sandbox, with your files and network. It asks again after a change of what may decide what it runs",
    );
    expect(describeCover("web_fetch example.org")).toBe("fetch pages of example.org");
    expect(describeCover("http_request POST example.org")).toBe("send POST requests to example.org");
    expect(describeCover("read (credentials: .env)")).toBe("read, only .env");
    expect(describeCover("edit files of the workspace (host: .git/config)")).toBe(
      "edit files of the workspace, only .git/config",
    );
  });

  it("has no internal mark in it", () => {
    expect(describeCover("shell echo \\u{1b}[31m h_m28n4kxkw3nw")).toBe("run echo \\u{1b}[31m (exactly this one)");
  });
});
