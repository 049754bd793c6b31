import { describe, expect, it } from "vitest";
import {
  cannotStartTrait,
  changedTrait,
  type CompletedCall,
  failedBeforeTrait,
  headFailingTrait,
  folderPathTrait,
  newSituation,
  nothingStartedTrait,
  unreadTrait,
  untestedTrait,
} from "./situation.ts";

const doing = (tool: string, input: unknown, over: Partial<CompletedCall> = {}): CompletedCall => ({
  tool,
  input,
  head: null,
  agent: null,
  outcome: "ok",
  benign: false,
  ...over,
});
const edit = (file: string, over: Partial<CompletedCall> = {}) =>
  doing("Edit", { file_path: file, old_string: "a" }, over);
const read = (file: string, over: Partial<CompletedCall> = {}) => doing("Read", { file_path: file }, over);
const shell = (command: string, head: string, over: Partial<CompletedCall> = {}) =>
  doing("Bash", { command }, { head, ...over });

describe("what a session has come to", () => {
  it("knows a file once it was read, and not before", () => {
    const situation = newSituation();
    expect([...situation.before(edit("/a"))]).toEqual([unreadTrait]);
    situation.after(read("/a"));
    expect([...situation.before(edit("/a"))]).toEqual([]);
    expect([...situation.before(edit("/b"))]).toEqual([unreadTrait]);
  });

  it("does not count a read that failed, nor what a sub-agent has read", () => {
    const situation = newSituation();
    situation.after(read("/a", { outcome: "failed" }));
    situation.after(read("/a", { agent: "sub" }));
    expect([...situation.before(edit("/a"))]).toEqual([unreadTrait]);
    expect([...situation.before(edit("/a", { agent: "sub" }))]).toEqual([]);
  });

  it("knows that a command touched a file since it was read", () => {
    const situation = newSituation();
    situation.after(read("/w/cart.ts"));
    situation.after(shell("prettier --write cart.ts", "prettier"));
    expect([...situation.before(edit("/w/cart.ts"))]).toEqual([changedTrait]);
    situation.after(read("/w/cart.ts"));
    expect([...situation.before(edit("/w/cart.ts"))]).toEqual([]);
  });

  it("knows a call that failed, until something was changed", () => {
    const situation = newSituation();
    const push = shell("make deploy", "make deploy", { outcome: "failed" });
    situation.after(push);
    situation.after(shell("ls", "ls"));
    expect([...situation.before(push)].toSorted()).toEqual([headFailingTrait, failedBeforeTrait].toSorted());
    situation.after(edit("/a"));
    expect([...situation.before(push)]).toEqual([headFailingTrait]);
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
    expect([...situation.before(asks)]).toEqual([nothingStartedTrait]);
    situation.after(shell("npm start &", "npm start"));
    expect([...situation.before(asks)]).toEqual([]);
  });

  it("knows that a file was not read where an edit of it was refused for that, until it is read", () => {
    const situation = newSituation();
    situation.after(read("/a"));
    situation.after(edit("/a", { outcome: "failed", error: "File has not been read yet. Read it first." }));
    expect([...situation.before({ ...edit("/a"), input: { file_path: "/a", old_string: "b" } })]).toEqual([
      unreadTrait,
    ]);
    situation.after(read("/a"));
    expect([...situation.before({ ...edit("/a"), input: { file_path: "/a", old_string: "b" } })]).toEqual([]);
  });

  it("knows a tool whose program could not be started, until it works again", () => {
    const situation = newSituation();
    const grep = (pattern: string, over: Partial<CompletedCall> = {}) => doing("Grep", { pattern }, over);
    situation.after(grep("a", { outcome: "failed", error: "ENOENT: no such file or directory, posix_spawn '/x/1.2'" }));
    expect([...situation.before(grep("b"))]).toEqual([cannotStartTrait]);
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
    expect([...situation.before(read("/w/web/src"))]).toEqual([folderPathTrait]);
    expect([...situation.before(read("/w/web/src/x.ts"))]).toEqual([]);
  });

  const after = (...calls: readonly CompletedCall[]) => {
    const situation = newSituation();
    for (const call of calls) situation.after(call);
    return (call: CompletedCall) => [...situation.before(call)].toSorted();
  };

  it("says what holds in words that are stored with the rules", () => {
    expect([
      unreadTrait,
      changedTrait,
      failedBeforeTrait,
      headFailingTrait,
      untestedTrait,
      folderPathTrait,
      nothingStartedTrait,
      cannotStartTrait,
    ]).toEqual([
      "so far: file not read",
      "so far: file changed since it was read",
      "so far: the same call failed, and nothing was changed since",
      "so far: the command failed the last time",
      "so far: edits not tested",
      "so far: the path is a folder",
      "so far: nothing started in the background",
      "so far: the tool could not start",
    ]);
  });

  it.each(["git commit", "git push"])("knows before a %s that edits were not tested, until a check ran", (head) => {
    const commit = shell(head, head);
    expect(after()(commit)).toEqual([]);
    for (const tool of ["Edit", "Write", "write_file", "apply_patch"]) {
      const changing = doing(tool, { file_path: "/a" });
      expect(after(changing)(commit)).toEqual([untestedTrait]);
      expect(after(changing)(shell("ls", "ls"))).toEqual([]);
      expect(after(changing, shell("ls", "ls"))(commit)).toEqual([untestedTrait]);
      expect(after(changing, shell("cd web && npm test", "npm test"))(commit)).toEqual([]);
      expect(after(changing, shell("npm test", "npm test"), changing)(commit)).toEqual([untestedTrait]);
    }
    expect(after(read("/a"))(commit)).toEqual([]);
  });

  it("takes a session that edits a file it never read for one that began earlier", () => {
    expect(after(edit("/a"))(edit("/b"))).toEqual([]);
    expect(after(read("/a"), edit("/a"))(edit("/b"))).toEqual([unreadTrait]);
    expect(after(doing("Write", { file_path: "/a" }))(edit("/a"))).toEqual([]);
    expect(after(doing("Write", { file_path: "/a" }))(edit("/b"))).toEqual([unreadTrait]);
    expect(after(doing("Grep", { file_path: "/a" }))(edit("/a"))).toEqual([unreadTrait]);
    expect(after()(doing("Edit", {}))).toEqual([]);
  });

  it.each(["File has not been read yet.", "You must read it", "must first read it", "you must first read it"])(
    "knows an edit refused for want of reading by: %s",
    (error) => {
      expect(after(read("/a"), edit("/a", { outcome: "failed", error }))(doing("Edit", { file_path: "/a" }))).toEqual([
        unreadTrait,
      ]);
    },
  );

  it.each(["No match found.", "It says that you must read on", null])("takes another refusal for none: %s", (error) => {
    expect(after(read("/a"), edit("/a", { outcome: "failed", error }))(doing("Edit", { file_path: "/a" }))).toEqual([]);
  });

  it("knows a program that could not be spawned, whatever stands between", () => {
    const failed = (error: string) => doing("Grep", { pattern: "a" }, { outcome: "failed", error });
    const next = doing("Grep", { pattern: "b" });
    expect(after(failed("ENOENT while trying to spawn rg"))(next)).toEqual([cannotStartTrait]);
    expect(after(failed("ENOENT: no such file"))(next)).toEqual([]);
  });

  it("knows the same call by its words, whatever its white space, and other calls by their input", () => {
    const failed = { outcome: "failed" } as const;
    const same = [headFailingTrait, failedBeforeTrait].toSorted();
    expect(after(shell("make  deploy ", "make", failed))(shell(" make deploy", "make"))).toEqual(same);
    expect(after(shell("make deploy", "make", failed))(shell("makedeploy", "makedeploy"))).toEqual([]);
    expect(after(shell("make deploy", "make", failed))(shell("make clean", "make"))).toEqual([headFailingTrait]);
    expect(after(doing("Grep", { a: 1, b: 2 }, failed))(doing("Grep", { b: 2, a: 1 }))).toEqual([failedBeforeTrait]);
    expect(after(doing("Grep", { a: 1 }, failed))(doing("Grep", { a: 2 }))).toEqual([]);
  });

  it("forgets a failure once a command may have changed something, and not by one that looks", () => {
    const push = shell("make deploy", "make deploy", { outcome: "failed" });
    expect(after(push, shell("ls && rm x", "rm"))(push)).toEqual([headFailingTrait]);
    expect(after(push, shell("ls && cat x", "cat"))(push)).toEqual([headFailingTrait, failedBeforeTrait].toSorted());
    for (const outcome of ["denied", "interrupted", null] as const)
      expect(after(push, edit("/a", { outcome }))(push)).toEqual([headFailingTrait, failedBeforeTrait].toSorted());
  });

  it("learns from a benign failure as from a success", () => {
    const grep = shell("grep x /w/src/a.ts", "grep", { outcome: "failed", benign: true });
    expect(after(grep)(read("/w/src"))).toEqual([folderPathTrait]);
    expect(after(shell("grep x /w/src/a.ts", "grep", { outcome: "denied", benign: true }))(read("/w/src"))).toEqual([]);
  });

  it("knows of a file that a command may have touched only where the command names it", () => {
    const known = [read("/w/cart.ts"), read("C:\\w\\list.ts")];
    expect(after(...known, shell("prettier --write list.ts", "prettier"))(edit("/w/cart.ts"))).toEqual([]);
    expect(after(...known, shell("prettier --write list.ts", "prettier"))(edit("C:\\w\\list.ts"))).toEqual([
      changedTrait,
    ]);
    expect(after(...known, shell("cat cart.ts", "cat"))(edit("/w/cart.ts"))).toEqual([]);
  });

  it("knows what was started in the background, and what was not", () => {
    const asks = shell("curl 127.0.0.1:3000", "curl");
    const inBackground = (value: unknown) =>
      doing("Bash", { command: "npm start", run_in_background: value }, { head: "npm start" });
    expect(after(shell("npm start & ", "npm start"))(asks)).toEqual([]);
    expect(after(shell("nohup npm start", "npm start"))(asks)).toEqual([]);
    expect(after(inBackground(true))(asks)).toEqual([]);
    expect(after(inBackground(false))(asks)).toEqual([nothingStartedTrait]);
    expect(after(shell("make && npm start", "npm start"))(asks)).toEqual([nothingStartedTrait]);
    expect(after(doing("Bash", null))(asks)).toEqual([nothingStartedTrait]);
    expect(after()(shell("curl https://example.org", "curl"))).toEqual([]);
    expect(after()(doing("Bash", {}))).toEqual([]);
  });

  it("knows a folder by what was seen in it, and by where the call is made", () => {
    expect(after(read("/w/web/a.ts"))(read("/w/web"))).toEqual([folderPathTrait]);
    expect(after(read("/w/web/a.ts"))(read("/w/web//"))).toEqual([folderPathTrait]);
    expect(after(read("/w/web/a.ts"))(read("/w"))).toEqual([folderPathTrait]);
    expect(after(read("/w/web/a.ts"))(read("/w/web/a.ts"))).toEqual([]);
    expect(after(read("/w/web/a.ts"))(doing("Write", { file_path: "/w/web" }))).toEqual([]);
    expect(after(read("/w/web/a.ts"), read("/w/web/b/c.ts"))(read("/w/web/b"))).toEqual([folderPathTrait]);
    expect(after()(read("/w", { cwd: "/w/web" }))).toEqual([folderPathTrait]);
    expect(after()(read("/w", { cwd: "/w" }))).toEqual([folderPathTrait]);
    expect(after()(read("/w", { cwd: "/web" }))).toEqual([]);
    expect(after()(read("/w"))).toEqual([]);
    expect(after()(doing("Read", {}))).toEqual([]);
  });

  it.each([
    [doing("Glob", { pattern: "web/src" }, { cwd: "/w" }), "/w/web", true],
    [doing("Glob", { pattern: "web/src" }, { cwd: "/w" }), "/w/web/src", false],
    [doing("Glob", { pattern: "/w/web/src/*.ts", path: "/other" }), "/w/web/src", true],
    [doing("Glob", { pattern: "src/*.ts", path: "/w/web//" }), "/w/web/src", true],
    [doing("Glob", { pattern: "src/{a,b}/*.ts", path: "/w" }), "/w/src", true],
    [doing("Glob", { pattern: "src/{a,b}/*.ts", path: "/w" }), "/w/src/{a,b}", false],
    [doing("Glob", { path: "/w/web" }), "/w/web", true],
    [doing("Grep", { pattern: "web/src/*.ts", path: "/w" }), "/w/web/src", false],
    [shell("find /w/web -name x", "find"), "/w/web", true],
    [shell("cat /w/web", "cat"), "/w/web", false],
    [shell("cat /w/web/x", "cat"), "/w/web", true],
    [shell("cat w/web/x", "cat"), "w/web", false],
    [shell("cd w/web && ls", "ls"), "w/web", false],
  ])("after %j, whether %s is a folder: %s", (search, path, isKnown) => {
    expect(after(search)(read(path))).toEqual(isKnown ? [folderPathTrait] : []);
  });
});
