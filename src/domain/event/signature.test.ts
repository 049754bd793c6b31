import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteFailure } from "./quote-failure.ts";
import { normaliseError, signatureOf } from "./signature.ts";

const sh = (command: string, error: string): ReturnType<typeof signatureOf> => signatureOf("Bash", { command }, error);
const key = (command: string, error: string): string => sh(command, error).key;

describe("a quoted failure", () => {
  it("is what the program wrote, with its real names, paths and numbers, in one line", () => {
    const quote = (command: string, error: string) => quoteFailure("Bash", { command }, error);
    expect(quote("npm run lint", 'Exit code 1\nnpm error Missing script: "lint"\nnpm error')).toBe(
      'npm run lint: npm error Missing script: "lint"',
    );
    expect(quote("cat a/7.txt", "cat: a/7.txt: No such file or directory")).toBe(
      "cat: a/7.txt: No such file or directory",
    );
    expect(quote("rg x", "bash: line 1: rg: command not found")).toBe("rg: command not found");
    expect(quoteFailure("Read", { file_path: "/w/a.ts" }, "File does not exist: /w/a.ts.\nmore")).toBe(
      "Read: File does not exist: /w/a.ts.",
    );
    expect(quote("./x", "")).toBe("x: no output");
    const long = quote("make", `error: ${"word ".repeat(100)}`);
    expect(long.length).toBeLessThanOrEqual(200);
  });
});

describe("the text of a signature", () => {
  it.each([
    [
      "./gradlew assembleDebug",
      "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not determine the dependencies of task ':app:compile'.\n> SDK location not found. Define a valid SDK location.\n\n* Try:\n> Run with --stacktrace option to get the stack trace.\n\nBUILD FAILED in 2s",
      "gradlew assembleDebug: SDK location not found. Define a valid SDK location.",
    ],
    [
      "./gradlew tset",
      "FAILURE: Build failed with an exception.\n\n* What went wrong:\nTask 'tset' not found in root project 'a'.\n\n* Try:\n> Run gradlew tasks.",
      "gradlew tset: Task <str> not found in root project <str>.",
    ],
    [
      "git push",
      "Exit code 1\nTo github.com:a/b.git\n ! [rejected]  main -> main (fetch first)\nerror: failed to push some refs to 'github.com:a/b.git'\nhint: Updates were",
      "git push: error: failed to push some refs to <str> (fetch first)",
    ],
    [
      "git status",
      "fatal: not a git repository (or any of the parent directories): .git",
      "git status: fatal: not a git repository (or any of the parent directories): .git",
    ],
    [
      "docker compose up -d db",
      "Exit code 1\nCannot connect to the Docker daemon at unix:///var/run/docker-0.sock. Is the docker daemon running?",
      "docker compose up: Cannot connect to the Docker daemon at unix:///var/run/docker-<n>.sock. Is the docker daemon running?",
    ],
    ["node -v", "error: need node 20.x or v18.2.rc1, not 16.1", "node: error: need node <n> or <n>, not <n>"],
    ["pytest -q", "bash: line 1: pytest: command not found", "pytest: command not found"],
    ["git config x || yq .a f.yml", "zsh:1: command not found: yq", "yq: command not found"],
    ["npm test", "sh: 1: vitest: not found", "vitest: command not found"],
    [
      "python3 x.py",
      'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    import a\ndjango.core.exceptions.AppRegistryNotReady: Apps aren\'t loaded yet.',
      "python: AppRegistryNotReady: Apps aren't loaded yet.",
    ],
    [
      "npm run nope",
      'npm warn x\nnpm error Missing script: "nope"\nnpm error\nnpm error To see a list',
      "npm run nope: npm error Missing script: <str>",
    ],
    ["npm i", "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve", "npm i: npm error code ERESOLVE"],
    ["sed -n 1p a.ts | cat -A", "cat: illegal option -- A\nusage: cat [-b]", "cat: illegal option -- A"],
    ["cd a/b && go test", "(eval):cd:1: no such file or directory: a/b", "cd: <path>: No such file or directory"],
    ["gh api repos/a/b", "gh: Not Found (HTTP 404)\n\n{}", "gh api: Not Found (HTTP404)"],
    [
      "node x.js",
      "node:internal/modules/cjs/loader:1433\n  throw err;\n  ^\n\nError: Cannot find module './y'\nRequire stack:",
      "node: Cannot find module <str>",
    ],
    ["git commit -m x", "", "git commit: no output"],
    ["ls *.zzz | head", "zsh:1: no matches found: *.zzz", "shell: no matches found: <str>"],
  ])("of `%s`", (command, error, text) => {
    expect(sh(command, error).text).toBe(text);
  });

  it("names a tool that is no shell, and keeps to its first line", () => {
    expect(
      signatureOf(
        "Edit",
        {},
        "<tool_use_error>String to replace not found in file.\nString: fatal: error: boom</tool_use_error>",
      ).text,
    ).toBe("Edit: String to replace not found in file.");
    expect(
      signatureOf(
        "Read",
        {},
        "InputValidationError: Read failed due to the following issue:\nThe parameter `offset` type is expected as `number`",
      ).text,
    ).toBe(
      "Read: InputValidationError: Read failed due to the following issue: The parameter <str> type is expected as <str>",
    );
    expect(
      signatureOf(
        "Ask",
        {},
        'InputValidationError: [\n  {\n    "code": "too_big",\n    "message": "Too big: expected array to have <=4 items"\n  }\n]',
      ).text,
    ).toBe("Ask: InputValidationError: Too big: expected array to have <=<n> items");
  });

  it("is short and the key has twelve hex digits", () => {
    const { key: id, text } = sh("make x", `error: ${"word ".repeat(200)}`);
    expect(text.length).toBeLessThanOrEqual(200);
    expect(id).toMatch(/^[0-9a-f]{12}$/);
  });
});

describe("one cause", () => {
  it.each([
    [
      "with and without the host's wrapping",
      "File does not exist.",
      "<tool_use_error>File does not exist. Note: your current working directory is /a.</tool_use_error>",
    ],
    ["with and without a guess", "File does not exist.", "File does not exist. Did you mean b.ts?"],
    [
      "before and after a new wording",
      "File has been unexpectedly modified. Read it again before attempting to write it.",
      "File has been modified since read, either by the user or by a linter. Read it again.",
    ],
    [
      "with and without the path",
      "EISDIR: illegal operation on a directory, read",
      "EISDIR: illegal operation on a directory, read '/a/b'",
    ],
    [
      "with another list of what there is",
      "Agent type 'a' not found. Available agents: x, y",
      "Agent type 'b' not found. Available agents: z",
    ],
  ])("%s has one signature", (_what, one, other) => {
    expect(signatureOf("Read", {}, one)).toEqual(signatureOf("Read", {}, other));
  });

  it.each([
    [
      "the exit code line",
      "cat a",
      "cat: a: No such file or directory",
      "cat b/c.txt",
      "Exit code 1\ncat: b/c.txt: No such file or directory",
    ],
    ["colours", "npm run x", "error: boom", "npm run x", "\u001b[31merror:\u001b[0m boom"],
    ["the shell", "pytest", "bash: line 1: pytest: command not found", "pytest -q", "zsh:1: command not found: pytest"],
    [
      "the interpreter's name",
      "python -m pytest",
      "/usr/bin/python: No module named pytest",
      "python3 -m pytest a",
      "/opt/x/bin/python3: No module named pytest",
    ],
    [
      "quotes around a path",
      "ls a",
      "ls: cannot access 'a/b': No such file or directory",
      "ls c",
      "ls: cannot access c/d.txt: No such file or directory",
    ],
    [
      "what runs before",
      "cat a/b",
      "cat: a/b: No such file or directory",
      "cd x && FOO=1 cat c/d | head",
      "cat: c/d: No such file or directory",
    ],
    [
      "a codex header",
      "rg x",
      "rg: a/b: No such file or directory (os error 2)",
      "rg y z",
      "Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code 2\nOriginal token count: 3\nOutput:\nrg: z/q: No such file or directory (os error 2)",
    ],
    [
      "line and column",
      "node a.js",
      "SyntaxError: Unexpected token (12:5)",
      "node b.js",
      "SyntaxError: Unexpected token (3:77)",
    ],
    [
      "port and process",
      "npm start",
      "Error: listen EADDRINUSE: address already in use :::3000",
      "npm start",
      "Error: listen EADDRINUSE: address already in use :::8080",
    ],
    [
      "date, duration and size",
      "x run",
      "error: 2026-01-02T03:04:05Z took 1.5s for 20 MB",
      "x run",
      "error: 2025-12-31 23:59:59 took 300ms for 4kb",
    ],
  ])("without regard to %s", (_what, one, error, other, otherError) => {
    expect(key(one, error)).toBe(key(other, otherError));
  });
});

describe("different errors", () => {
  it("stay apart", () => {
    const keys = [
      key("git push", "error: failed to push some refs to 'x'\n ! [rejected] a -> a (fetch first)"),
      key("git push", "error: failed to push some refs to 'x'\n ! [rejected] a -> a (non-fast-forward)"),
      key("git pull", "fatal: Not possible to fast-forward, aborting."),
      key("node x.js", "Error: Cannot find module './y'"),
      key("node x.js", "SyntaxError: Unexpected token 'x'"),
      key("cat x", "cat: x: No such file or directory"),
      key("cat x", "cat: x: Permission denied"),
      key("ls x", "ls: x: No such file or directory"),
      key("gh api x", "gh: Not Found (HTTP 404)"),
      key("gh api x", "gh: Bad credentials (HTTP 401)"),
      key("gh pr diff 1 --stat", "unknown flag: --stat"),
      key("gh pr diff 1 --oneline", "unknown flag: --oneline"),
      signatureOf("Edit", {}, "String to replace not found in file.").key,
      signatureOf("Edit", {}, "File has not been read yet. Read it first before writing to it.").key,
      signatureOf("Grep", {}, "ENOENT: no such file or directory, posix_spawn '/a'").key,
      signatureOf("Grep", {}, "ENOENT: no such file or directory, open '/a'").key,
      key("pytest", "pytest: command not found"),
      key("pytest", "ERROR: file or directory not found: a/b.py"),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const segment = fc.stringMatching(/^[a-z][a-z0-9_-]{0,9}$/);
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join("/")}.ts`);
const hash = fc.stringMatching(/^[0-9a-f]{40}$/);

describe("a signature", () => {
  it("does not depend on paths, numbers, uuids, hashes and quoted names", () => {
    const world = fc.record({
      path,
      line: fc.nat(),
      uuid: fc.uuid(),
      hash,
      name: segment,
      port: fc.integer({ min: 1, max: 65535 }),
    });
    const error = (w: { path: string; line: number; uuid: string; hash: string; name: string; port: number }): string =>
      `warming up\nerror: ${w.path}:${w.line}:7: job ${w.uuid} at ${w.hash} cannot reach '${w.name}' on port ${w.port} (${w.path})`;
    fc.assert(fc.property(world, world, (a, b) => key("deploy run", error(a)) === key("deploy run", error(b))));
  });

  it("never throws, whatever the tool, input and error", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("Bash", "Edit", "exec_command", ""),
        fc.anything(),
        fc.string(),
        (tool, input, error) => {
          const made = signatureOf(tool, input, error);
          expect(made.key).toMatch(/^[0-9a-f]{12}$/);
          expect(made.text.length).toBeLessThanOrEqual(200);
        },
      ),
    );
  });
});

describe("normaliseError", () => {
  it("is idempotent", () => {
    const pieces = fc.constantFrom(
      "error:",
      "fatal:",
      "Error:",
      "'a b'",
      '"x',
      "don't",
      "/a/b.ts:3:4",
      "a/b",
      "404",
      "HTTP 404",
      "status code 500",
      "1.5s",
      "--flag",
      "'--flag'",
      "E404",
      "ENOENT:",
      "x.py",
      "a.b.c",
      "\n",
      "<path>",
      "<n>",
      "(os error 2)",
      "No such file or directory",
      "bash: line 1:",
      "Traceback (most recent call last):",
      "ValueError: x",
      "deadbeef1",
      "Exit code 1",
      "not found",
      "2026-01-02",
      "`q`",
      "usage:",
      "name: foo-bar",
      "- ",
      "✗",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(text, (error) => {
        const once = normaliseError(error);
        expect(normaliseError(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  it("takes the cause out of a long output", () => {
    const noise = Array.from({ length: 5000 }, (_unused, at) => `step ${at} done`).join("\n");
    const cause = "fatal: unable to access 'https://x/': Could not resolve host: y.com";
    expect(normaliseError(`${noise}\n${cause}\nbye`)).toBe(
      "fatal: unable to access <str>: Could not resolve host: <str>",
    );
  });
});

describe("one cause is one signature", () => {
  it("whatever value an unknown option was given", () => {
    const error = (words: string) =>
      `usage: ship.py [-h] [--target TARGET]\nship.py: error: unrecognized arguments: ${words}`;
    const all = ["--to staging", "--to prod", "--to=prod", "--to prod --dry"];
    expect(new Set(all.map((words) => key(`python3 tools/ship.py ${words}`, error(words)))).size).toBe(1);
    expect(key("tools/ship.py --from x", error("--from x"))).not.toBe(key("tools/ship.py --to x", error("--to x")));
  });

  it("and two causes are two, although make or npm says of both only that they failed", () => {
    const make = (line: string) => key("make label", `${line}\nmake: *** [Makefile:2: label] Error 1`);
    expect(make("label: the variable SHOP_REGION is not set")).not.toBe(make("label: no such printer"));
    const npm = (line: string) =>
      key(
        "npm run label",
        `> shop@1.0.0 label\n> node label.js\n\n${line}\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1`,
      );
    expect(npm("label: SHOP_REGION is not set")).not.toBe(npm("label: no such printer"));
  });

  it("with the line that names the cause, not with what make or a runner adds", () => {
    const quote = (command: string, error: string) => quoteFailure("Bash", { command }, error);
    expect(
      quote(
        "make -C shop label",
        "make: Entering directory '/w/shop'\n./label eu\nlabel: the variable SHOP_REGION is not set\nmake: *** [Makefile:7: label] Error 1\nmake: Leaving directory '/w/shop'",
      ),
    ).toBe("make label: label: the variable SHOP_REGION is not set");
    expect(quote("bun run label", '$ ./label\nlabel: no such printer\nerror: script "label" exited with code 1')).toBe(
      "bun run label: label: no such printer",
    );
    expect(quote("make label", "make: *** [Makefile:2: label] Error 1")).toBe(
      "make label: *** [Makefile:2: label] Error 1",
    );
  });
});
