import { describe, expect, it } from "vitest";
import { newFactTracker, type RecordedCall } from "./fact-tracker.ts";
import { type Fact, meetsFact, refutesFact, type Sighting } from "./fact.ts";
import { findFactAlternative } from "./fact-alternative.ts";
import { findCallNeeds } from "./call-needs.ts";
import { findFactsInFailure } from "./read-failure.ts";
import { describeFact } from "./fact-message.ts";

const cwd = "/w/shop";
const bash = (command: string, from = cwd) => ({ tool: "Bash", input: { command }, cwd: from });
const read = (file_path: string, more = {}) => ({ tool: "Read", input: { file_path, ...more }, cwd });
const shown = (call: Parameters<typeof findFactsInFailure>[0], error: string) =>
  findFactsInFailure(call, error).map(({ kind, subject }) => `${kind} ${subject}`);

describe("what a failed call shows of its workspace", () => {
  it.each([
    [read("src/foo.ts"), "File does not exist.", "missing-path /w/shop/src/foo.ts"],
    [read("/w/shop/src"), "EISDIR: illegal operation on a directory, read", "is-folder /w/shop/src"],
    [
      read("/w/shop/big.json"),
      "File content (31402 tokens) exceeds maximum allowed tokens (25000). Please use offset and limit",
      "too-large /w/shop/big.json",
    ],
    [
      { tool: "Grep", input: { pattern: "x", path: "lib/old" }, cwd },
      "Path does not exist: lib/old",
      "missing-path /w/shop/lib/old",
    ],
    [bash("cat src/foo.ts"), "cat: src/foo.ts: No such file or directory", "missing-path /w/shop/src/foo.ts"],
    [bash("cd web && cat x.ts"), "cat: x.ts: No such file or directory", "missing-path /w/shop/web/x.ts"],
    [bash("cd nowhere && ls"), "bash: line 1: cd: nowhere: No such file or directory", "missing-path /w/shop/nowhere"],
    [bash("./gradlew test"), "bash: line 1: ./gradlew: No such file or directory", "missing-path /w/shop/gradlew"],
    [
      bash("git -C ../lib status"),
      "fatal: cannot change to '../lib': No such file or directory",
      "missing-path /w/lib",
    ],
    [bash("wc -l a/b.go"), "wc: a/b.go: open: No such file or directory", "missing-path /w/shop/a/b.go"],
    [bash("cat src"), "cat: src: Is a directory", "is-folder /w/shop/src"],
    [bash("docker-compose up -d"), "bash: docker-compose: command not found", "missing-program docker-compose"],
    [
      bash("timeout 5 yq . x.yml"),
      "timeout: failed to run command 'yq': No such file or directory",
      "missing-program yq",
    ],
    [bash("npm run lint"), 'npm error Missing script: "lint"', "unknown-script /w/shop/package.json#lint"],
    [bash("cd web && bun run lint"), 'error: Script not found "lint"', "unknown-script /w/shop/web/package.json#lint"],
    [
      bash("make deploy"),
      "make: *** No rule to make target 'deploy'.  Stop.",
      "unknown-script /w/shop/Makefile#deploy",
    ],
    [
      bash("git push upstream main"),
      "fatal: 'upstream' does not appear to be a git repository\nfatal: Could not read from remote repository.",
      "unknown-remote upstream",
    ],
    [
      bash("gh pr list --repo acme/shpo"),
      "GraphQL: Could not resolve to a Repository with the name 'acme/shpo'. (repository)",
      "unknown-remote acme/shpo",
    ],
  ])("%j", (call, error, fact) => {
    expect(shown(call, `Exit code 1\n${error}`)).toEqual([fact]);
    expect(shown(call, error)).toEqual([fact]);
  });

  it("an address that does not resolve, with or without a slash at its end", () => {
    const call = bash("git clone https://x.test/acme/shpo/");
    expect(findFactsInFailure(call, "fatal: repository 'https://x.test/acme/shpo/' not found")).toMatchObject([
      { kind: "unknown-remote", subject: "https://x.test/acme/shpo", name: "shpo" },
    ]);
  });

  it("each of several paths", () => {
    const error = "ls: cannot access 'a': No such file or directory\nls: cannot access 'b': No such file or directory";
    expect(shown(bash("ls a b c"), error)).toEqual(["missing-path /w/shop/a", "missing-path /w/shop/b"]);
  });

  it.each([
    [
      "what the call did not name",
      bash("python3 run.py"),
      "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'",
    ],
    ["a path that only the machine knows", bash("cat $DIR/x"), "cat: /x: No such file or directory"],
    ["a program that a script ran", bash("npm run lint"), "sh: 1: biome: not found"],
    ["a path of another machine", bash("ssh web cat /etc/shop.conf"), "cat: /etc/shop.conf: No such file or directory"],
    ["a path of a container", bash("docker exec web ls /app"), "ls: cannot access '/app': No such file or directory"],
    ["a red test", bash("npm test"), "1 failed, 3 passed: expected 2 to be 3, file not found in cache"],
    ["a secret in a path", read("/w/shop/[redacted:token]/x"), "File does not exist."],
    [
      "a host name, as a network may be down",
      bash("git fetch origin"),
      "fatal: unable to access 'https://x.test/': Could not resolve host: x.test",
    ],
  ])("not %s", (_what, call, error) => {
    expect(shown(call, error)).toEqual([]);
  });
});

const missing: Sighting = { kind: "missing-path", subject: "/w/shop/src/foo.ts", name: "foo.ts", by: "Read" };
const isMet = (fact: Sighting, call: Parameters<typeof findCallNeeds>[0]) =>
  findCallNeeds(call).needs.some((need) => meetsFact(fact, need));

describe("a call that would meet a missing path", () => {
  it.each([
    read("src/foo.ts"),
    read("/w/shop/src/./foo.ts"),
    { tool: "Edit", input: { file_path: "/w/shop/src/foo.ts", old_string: "a", new_string: "b" }, cwd },
    { tool: "apply_patch", input: "*** Begin Patch\n*** Update File: src/foo.ts\n@@\n-a\n+b\n*** End Patch", cwd },
    bash("cat src/foo.ts"),
    bash("cd src && head -5 foo.ts"),
    bash("grep -n x src/foo.ts"),
    bash("sed -n '1,5p' src/foo.ts | head"),
    bash("cp src/foo.ts /tmp/x"),
    bash("wc -l < src/foo.ts"),
    bash("git status && cat src/foo.ts"),
  ])("is told: %j", (call) => {
    expect(isMet(missing, call)).toBe(true);
  });

  it.each([
    { tool: "Write", input: { file_path: "/w/shop/src/foo.ts", content: "x" }, cwd },
    { tool: "Edit", input: { file_path: "/w/shop/src/foo.ts", old_string: "", new_string: "b" }, cwd },
    { tool: "apply_patch", input: "*** Begin Patch\n*** Add File: src/foo.ts\n+b\n*** End Patch", cwd },
    { tool: "str_replace_based_edit_tool", input: { command: "create", path: "/w/shop/src/foo.ts" }, cwd },
    bash("mkdir -p src/foo.ts"),
    bash("touch src/foo.ts"),
    bash("cp a.ts src/foo.ts"),
    bash("mv a.ts src/foo.ts"),
    bash("echo x > src/foo.ts"),
    bash("tee src/foo.ts < a.ts"),
    bash("test -f src/foo.ts"),
    bash("[ -e src/foo.ts ] && echo yes"),
    bash("[[ -e src/foo.ts ]] && cat src/foo.ts || true"),
    bash("if [ -f src/foo.ts ]; then cat src/foo.ts; fi"),
    bash("ls src/foo.ts || echo none"),
    bash("cat src/foo.ts 2>/dev/null"),
    bash("rm -f src/foo.ts"),
    bash("touch src/foo.ts && cat src/foo.ts"),
    bash("npm run generate && cat src/foo.ts"),
    bash("git clone https://x.test/a src/foo.ts"),
    bash("gen --out src/foo.ts"),
    bash("gen src/foo.ts"),
    read("src/other.ts"),
    read("src/foo.ts.bak"),
  ])("is not told where it makes it, looks for it, or names something else: %j", (call) => {
    expect(isMet(missing, call)).toBe(false);
  });

  it("is also one of what would be below it", () => {
    const folder = { ...missing, subject: "/w/shop/src/old", name: "old" };
    expect(isMet(folder, read("src/old/a.ts"))).toBe(true);
    expect(isMet(folder, read("src/older/a.ts"))).toBe(false);
  });

  it("is told of an undescribed program only where that program met it", () => {
    const fact = { ...missing, by: "gen" };
    expect(isMet(fact, bash("gen src/foo.ts"))).toBe(true);
    expect(isMet(fact, bash("make2 src/foo.ts"))).toBe(false);
  });
});

describe("other facts are met", () => {
  const fact = (kind: Sighting["kind"], subject: string) => ({ kind, subject, name: "", by: "x" });

  it("a folder and a large file by who reads them whole, as files", () => {
    expect(isMet(fact("is-folder", "/w/shop/src"), read("src"))).toBe(true);
    expect(isMet(fact("is-folder", "/w/shop/src"), bash("ls src"))).toBe(false);
    expect(isMet(fact("too-large", "/w/shop/big.json"), read("big.json"))).toBe(true);
    expect(isMet(fact("too-large", "/w/shop/big.json"), read("big.json", { offset: 1, limit: 50 }))).toBe(false);
    expect(isMet(fact("too-large", "/w/shop/big.json"), bash("grep x big.json"))).toBe(false);
  });

  it.each([
    ["docker-compose ps", true],
    ["sudo docker-compose ps", true],
    ["which docker-compose", false],
    ["command -v docker-compose", false],
    ["docker-compose --version", false],
    ["docker-compose ps || docker compose ps", false],
    ["brew install docker-compose && docker-compose ps", false],
    ["source env.sh && docker-compose ps", false],
    ["echo docker-compose", false],
  ])("a missing program by %s: %s", (command, met) => {
    expect(isMet(fact("missing-program", "docker-compose"), bash(command))).toBe(met);
  });

  it.each([
    ["npm run lint", true],
    ["npm run -s lint", true],
    ["pnpm lint", true],
    ["npm run lint:all", false],
    ["npm run lint -w web", false],
    ["cd web && npm run lint", false],
    ["npm install lint", false],
  ])("a script that is not there by %s: %s", (command, met) => {
    expect(isMet(fact("unknown-script", "/w/shop/package.json#lint"), bash(command))).toBe(met);
  });

  it.each([
    ["git fetch upstream", true],
    ["git remote add upstream https://x.test/a", false],
    ["git fetch origin", false],
  ])("a remote by %s: %s", (command, met) => {
    expect(isMet(fact("unknown-remote", "upstream"), bash(command))).toBe(met);
  });
});

describe("what a call that worked shows", () => {
  it("refutes what it used, made or is above of", () => {
    expect(refutesFact(missing, findCallNeeds(read("src/foo.ts")))).toBe(true);
    expect(
      refutesFact(
        missing,
        findCallNeeds({ tool: "Write", input: { file_path: "/w/shop/src/foo.ts", content: "" }, cwd }),
      ),
    ).toBe(true);
    expect(refutesFact({ ...missing, subject: "/w/shop/src" }, findCallNeeds(read("src/foo.ts")))).toBe(true);
    expect(refutesFact(missing, findCallNeeds(read("src/bar.ts")))).toBe(false);
  });

  it("refutes a missing script once its manifest was changed", () => {
    const lint: Sighting = {
      kind: "unknown-script",
      subject: "/w/shop/package.json#lint",
      name: "lint",
      by: "npm run",
    };
    const edit = { tool: "Edit", input: { file_path: "/w/shop/package.json", old_string: "a", new_string: "b" }, cwd };
    expect(refutesFact(lint, findCallNeeds(edit))).toBe(true);
    expect(refutesFact(lint, findCallNeeds(read("/w/shop/package.json")))).toBe(false);
  });

  it("tells what worked instead, where it is plainly the same", () => {
    const program = { kind: "missing-program", subject: "python", name: "python", by: "python" } as const;
    expect(findFactAlternative(missing, read("src/foo.ts"), read("src/lib/foo.ts"))).toBe("/w/shop/src/lib/foo.ts");
    expect(findFactAlternative(missing, read("src/foo.ts"), read("src/lib/bar.ts"))).toBeNull();
    expect(findFactAlternative(program, bash("python x.py"), bash("python3 x.py"))).toBe("python3");
    expect(findFactAlternative(program, bash("python x.py"), bash("node x.js"))).toBeNull();
    const script = {
      kind: "unknown-script",
      subject: "/w/shop/package.json#lint",
      name: "lint",
      by: "npm run",
    } as const;
    expect(findFactAlternative(script, bash("npm run lint"), bash("npm run lint:js"))).toBe("lint:js");
    for (const other of ["lint:all", "lint:relaxed", "lint:fix"])
      expect(findFactAlternative(script, bash("npm run lint"), bash(`npm run ${other}`))).toBeNull();
    expect(findFactAlternative(script, bash("npm run lint"), bash("npm run build"))).toBeNull();
  });
});

describe("a fact in words", () => {
  const at = Date.UTC(2026, 10, 12);
  const say = (over: Partial<Fact> & { readonly manifest?: string | null }) =>
    describeFact({
      workspace: "/w/shop",
      kind: "missing-path",
      subject: "/w/shop/src/foo.ts",
      at,
      instead: null,
      ...over,
    });

  it.each([
    [{}, "`src/foo.ts` does not exist (a call failed on this on 12 Nov)."],
    [
      { instead: "/w/shop/src/lib/foo.ts" },
      "`src/foo.ts` does not exist (a call failed on this on 12 Nov); `src/lib/foo.ts` exists.",
    ],
    [{ subject: "/etc/x" }, "`/etc/x` does not exist (a call failed on this on 12 Nov)."],
    [{ kind: "is-folder", subject: "/w/shop/src" }, "`src` is a folder, not a file (a call failed on this on 12 Nov)."],
    [
      { kind: "missing-program", subject: "python", instead: "python3" },
      "`python` is not installed (a call failed on this on 12 Nov); `python3` worked.",
    ],
    [
      { kind: "unknown-script", subject: "/w/shop/package.json#lint" },
      "`package.json` has no script `lint` (a call failed on this on 12 Nov).",
    ],
    [
      { kind: "unknown-script", subject: "/w/shop/Makefile#buidl" },
      "`Makefile` has no target `buidl` (a call failed on this on 12 Nov).",
    ],
    [
      { kind: "unknown-script", subject: "/w/shop/justfile#buidl", manifest: "/w/shop/.justfile" },
      "`.justfile` has no recipe `buidl` (a call failed on this on 12 Nov).",
    ],
    [
      { kind: "unknown-script", subject: "/w/shop/deno.json#buidl" },
      "`deno.json` has no task `buidl` (a call failed on this on 12 Nov).",
    ],
    [
      { kind: "unknown-script", subject: "/w/shop/Makefile#buidl", manifest: null },
      "there is no `Makefile` (a call failed on this on 12 Nov).",
    ],
    [
      { kind: "too-large", subject: "/w/shop/x", instead: "a part of it" },
      "`x` is too large to read at once (a call failed on this on 12 Nov); reading a part of it worked.",
    ],
  ] as const)("%j", (over, text) => {
    expect(say(over)).toBe(text);
  });
});

describe("a book of facts over recorded calls", () => {
  const done = (call: ReturnType<typeof read>, error: string | null, at = 0): RecordedCall => ({
    ...call,
    workspace: "/w/shop",
    at,
    outcome: error === null ? "ok" : "failed",
    benign: false,
    error,
    text: error === null ? "fine" : null,
  });

  it("knows a fact from the first failure on, until a call shows that it is over", () => {
    const book = newFactTracker();
    const call = done(read("src/foo.ts"), "File does not exist.");
    expect(book.before(call)).toEqual([]);
    book.after(call);
    expect(book.before(call)).toHaveLength(1);
    expect(book.before({ ...call, workspace: "/w/other" })).toEqual([]);
    book.after(done({ tool: "Write", input: { file_path: "/w/shop/src/foo.ts" }, cwd } as never, null));
    expect(book.before(call)).toEqual([]);
  });
});
