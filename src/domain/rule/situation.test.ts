import { describe, expect, it } from "vitest";
import {
  cannotStart,
  changed,
  type Done,
  failedBefore,
  headFailing,
  isFolder,
  newSituation,
  nothingStarted,
  unread,
} from "./situation.ts";

const doing = (tool: string, input: unknown, over: Partial<Done> = {}): Done => ({
  tool,
  input,
  head: null,
  agent: null,
  outcome: "ok",
  benign: false,
  ...over,
});
const edit = (file: string, over: Partial<Done> = {}) => doing("Edit", { file_path: file, old_string: "a" }, over);
const read = (file: string, over: Partial<Done> = {}) => doing("Read", { file_path: file }, over);
const shell = (command: string, head: string, over: Partial<Done> = {}) =>
  doing("Bash", { command }, { head, ...over });

describe("what a session has come to", () => {
  it("knows a file once it was read, and not before", () => {
    const situation = newSituation();
    expect([...situation.before(edit("/a"))]).toEqual([unread]);
    situation.after(read("/a"));
    expect([...situation.before(edit("/a"))]).toEqual([]);
    expect([...situation.before(edit("/b"))]).toEqual([unread]);
  });

  it("does not count a read that failed, nor what a sub-agent has read", () => {
    const situation = newSituation();
    situation.after(read("/a", { outcome: "failed" }));
    situation.after(read("/a", { agent: "sub" }));
    expect([...situation.before(edit("/a"))]).toEqual([unread]);
    expect([...situation.before(edit("/a", { agent: "sub" }))]).toEqual([]);
  });

  it("knows that a command touched a file since it was read", () => {
    const situation = newSituation();
    situation.after(read("/w/cart.ts"));
    situation.after(shell("prettier --write cart.ts", "prettier"));
    expect([...situation.before(edit("/w/cart.ts"))]).toEqual([changed]);
    situation.after(read("/w/cart.ts"));
    expect([...situation.before(edit("/w/cart.ts"))]).toEqual([]);
  });

  it("knows a call that failed, until something was changed", () => {
    const situation = newSituation();
    const push = shell("make deploy", "make deploy", { outcome: "failed" });
    situation.after(push);
    situation.after(shell("ls", "ls"));
    expect([...situation.before(push)].toSorted()).toEqual([headFailing, failedBefore].toSorted());
    situation.after(edit("/a"));
    expect([...situation.before(push)]).toEqual([headFailing]);
    situation.after(shell("make deploy", "make deploy"));
    expect([...situation.before(push)]).toEqual([]);
  });

  it("does not take a benign failure for one", () => {
    const situation = newSituation();
    situation.after(shell("grep x", "grep", { outcome: "failed", benign: true }));
    expect([...situation.before(shell("grep x", "grep"))]).toEqual([]);
  });

  it("knows whether anything was started before somebody asks for it", () => {
    const situation = newSituation();
    const asks = shell("curl http://localhost:3000", "curl");
    expect([...situation.before(asks)]).toEqual([nothingStarted]);
    situation.after(shell("npm start &", "npm start"));
    expect([...situation.before(asks)]).toEqual([]);
  });

  it("knows that a file was not read where an edit of it was refused for that, until it is read", () => {
    const situation = newSituation();
    situation.after(read("/a"));
    situation.after(edit("/a", { outcome: "failed", error: "File has not been read yet. Read it first." }));
    expect([...situation.before({ ...edit("/a"), input: { file_path: "/a", old_string: "b" } })]).toEqual([unread]);
    situation.after(read("/a"));
    expect([...situation.before({ ...edit("/a"), input: { file_path: "/a", old_string: "b" } })]).toEqual([]);
  });

  it("knows a tool whose program could not be started, until it works again", () => {
    const situation = newSituation();
    const grep = (pattern: string, over: Partial<Done> = {}) => doing("Grep", { pattern }, over);
    situation.after(grep("a", { outcome: "failed", error: "ENOENT: no such file or directory, posix_spawn '/x/1.2'" }));
    expect([...situation.before(grep("b"))]).toEqual([cannotStart]);
    expect([...situation.before(doing("Glob", { pattern: "b" }))]).toEqual([]);
    situation.after(grep("c"));
    expect([...situation.before(grep("b"))]).toEqual([]);
  });

  it.each([
    shell("find /w/web/src -name x.ts", "find"),
    shell("cd /w/web/src && ls", "ls"),
    doing("Glob", { pattern: "web/src/**/*.ts", path: "/w" }),
    doing("Glob", { pattern: "**/*.ts", path: "/w/web/src" }),
  ])("knows the folder that was searched: %j", (search) => {
    const situation = newSituation();
    situation.after(search);
    expect([...situation.before(read("/w/web/src"))]).toEqual([isFolder]);
    expect([...situation.before(read("/w/web/src/x.ts"))]).toEqual([]);
  });
});
