import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seemsFailed } from "./host-text.ts";
import { readOutcome } from "./outcome.ts";
import type { OutcomeReading } from "./outcome.ts";

const failed = (text: string, command = "make thing", tool = "Bash"): OutcomeReading =>
  readOutcome({ host: "claude-code", tool, input: { command }, ok: false, text });

const seen = (host: string, text: string, exitCode?: number): OutcomeReading =>
  readOutcome({
    host,
    tool: "bash",
    input: { command: "cat nope.txt; exit 3" },
    ok: true,
    text,
    ...(exitCode === undefined ? {} : { exitCode }),
  });

describe("the outcome of a call", () => {
  it.each([
    ["cascade", "<tool_use_error>Sibling tool call errored</tool_use_error>"],
    [
      "rejected",
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. …). STOP what you are doing.",
    ],
    ["rejected", "Permission for this tool use was denied. The tool use was rejected. The user said:\nsplit it first"],
    ["rejected", "exec command rejected by user"],
    [
      "rejected",
      `exec_command failed for \`/bin/bash -lc "${"cat <<E\n".repeat(400)}"\`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }`,
    ],
    [
      "denied",
      'exec_command failed: CreateProcess { message: "Rejected(\\"`/bin/bash -lc \'shred a\'` rejected: never destroy files\\")" }',
    ],
    ["denied", "Command blocked by PreToolUse hook: never rm. Command: rm -rf zzz"],
    ["failed", 'exec_command failed: CreateProcess { message: "No such file or directory (os error 2)" }'],
    ["rejected", "The user rejected permission to use this specific tool call."],
    ["interrupted", "[Request interrupted by user for tool use]"],
    ["interrupted", "Exit code 137\n[Request interrupted by user for tool use]\n=== RUN TestX"],
    ["interrupted", "aborted by user after 3.2s"],
    ["interrupted", "Exit code 130\n^C"],
    ["rejected", "[Operation Cancelled] User denied execution."],
    ["denied", "Tool execution denied by policy."],
    ["denied", "Denied by preToolUse hook: never rm"],
    ["denied", "oldhand, rule r_1kerpxzm00m329td: run pnpm test"],
    [
      "denied",
      "Exit code 1\noldhand: only the owner may run this command, and this shell belongs to codex [refused]\n  ask",
    ],
    ["denied", '{"error":{"code":"refused","message":"only the owner may run this command","hint":null}}'],
    ["failed", "Exit code 1\noldhand: there is no rule r_1 [not-found]"],
    ["denied", "Permission to run this tool was denied due to the following rules: `shell(shred)`"],
    ["denied", 'Tool "run_commands" requires approval in a TTY session -- NOT a tool or system failure.'],
    ["denied", "Tool execution blocked: never rm"],
    ["denied", "Permission to use Bash with command rm -rf / has been denied."],
    ["denied", "Permission for this tool use was denied. Try a different approach."],
    ["denied", "Claude requested permissions to use Write, but you haven't granted it yet."],
    ["denied", "PreToolUse:Bash hook error: [guard.sh]: no force pushes"],
    ["failed", "Exit code 2\ntool: PreToolUse:Bash hook error: quoted in the output"],
    ["failed", "Exit code 1\nfatal: Permission to a/b.git denied to c."],
    ["failed", "<tool_use_error>File does not exist.</tool_use_error>"],
  ])("is %s for `%s`", (outcome, text) => {
    expect(failed(text).outcome).toBe(outcome);
  });

  it("is ok where the host says so, whatever the output quotes", () => {
    for (const text of [
      "Exit code: 1",
      "<tool_use_error>x</tool_use_error>",
      "The user doesn't want to proceed",
      'script "lint" exited with code 1',
      null,
    ]) {
      expect(
        readOutcome({
          host: "claude-code",
          tool: "Bash",
          input: { command: "cat log" },
          ok: true,
          text,
        }),
      ).toMatchObject({ outcome: "ok", benign: false, error: null });
    }
  });

  it("is failed where a host says ok for a command that did not exit with 0", () => {
    const body = "cat: nope.txt: No such file or directory";
    const reading = { outcome: "failed", exitCode: 3, error: body, benign: false };
    expect(
      seen(
        "codex",
        `Chunk ID: ab12cd\nWall time: 0.01 seconds\nProcess exited with code 3\nOriginal token count: 9\nOutput:\n${body}\n`,
      ),
    ).toMatchObject(reading);
    expect(
      seen("codex", JSON.stringify({ output: body, metadata: { exit_code: 3, duration_seconds: 0.1 } })),
    ).toMatchObject(reading);
    expect(
      seen(
        "gemini",
        `<untrusted_context>\nOutput: ${body}\nExit Code: 3\nProcess Group PGID: 12866\n</untrusted_context>`,
      ),
    ).toMatchObject(reading);
    expect(
      seen(
        "qwen",
        `Command: cat nope.txt; exit 3\nDirectory: (root)\nOutput: ${body}\nError: (none)\nExit Code: 3\nSignal: (none)\nProcess Group PGID: (none)`,
      ),
    ).toMatchObject(reading);
    expect(seen("copilot-cli", `${body}\n<shellId: 1 completed with exit code 3>`)).toMatchObject(reading);
    expect(seen("droid", `${body}\n\n\n[Process exited with code 3]`)).toMatchObject(reading);
    expect(
      seen("droid", `Error: Command failed (exit code: 3)\n${body}\n\n\n[Process exited with code 3]`),
    ).toMatchObject(reading);
    expect(seen("pi", `${body}\n\n\nCommand exited with code 3`)).toMatchObject(reading);
    expect(seen("cline", `[Command exited with code 3]\n\n[stderr]\n${body}\n`)).toMatchObject(reading);
    expect(seen("mini-swe-agent", `<returncode>3</returncode>\n<output>\n${body}\n</output>`)).toMatchObject(reading);
    expect(seen("opencode", `${body}\n`, 3)).toMatchObject(reading);
  });

  it("is ok where those hosts report exit code 0", () => {
    expect(
      seen(
        "codex",
        "Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 1",
      ).outcome,
    ).toBe("ok");
    expect(seen("copilot-cli", "fine\n<shellId: 0 completed with exit code 0>").outcome).toBe("ok");
    expect(seen("gemini", "Output: (empty)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: 1").outcome).toBe("ok");
  });

  it("carries the user's words of a rejection, without what the host adds", () => {
    const said =
      "To tell you how to proceed, the user said:\nuse the store, not a file\n\nNote: The user's next message may contain a correction or preference.";
    expect(failed(`The user doesn't want to proceed with this tool use. ${said}`).correction).toBe(
      "use the store, not a file",
    );
    expect(
      failed("The user doesn't want to proceed with this tool use. STOP what you are doing.").correction,
    ).toBeNull();
  });

  it("carries the error without the host's wrapping", () => {
    expect(
      failed(
        "<tool_use_error>File does not exist. Note: your current working directory is /a/b.</tool_use_error>",
        "",
        "Read",
      ).error,
    ).toBe("File does not exist.");
    expect(failed("Error: Exit code 3\n\u001b[31mboom\u001b[0m\nShell cwd was reset to /a")).toMatchObject({
      exitCode: 3,
      error: "boom",
    });
  });

  it("can be told from the text alone where an event has no flag", () => {
    expect(seemsFailed("Exit code 1\nx")).toBe(true);
    expect(seemsFailed("<tool_use_error>String to replace not found")).toBe(true);
    expect(seemsFailed("Exit code 0\nx")).toBe(false);
    expect(seemsFailed("all fine")).toBe(false);
  });

  it("never throws and calls only failures benign, whatever was recorded", () => {
    const call = fc.record({
      host: fc.constantFrom("claude-code", "codex", "gemini", "copilot-cli", "pi", "x"),
      tool: fc.constantFrom("Bash", "Edit", "exec_command", ""),
      input: fc.anything(),
      ok: fc.boolean(),
      text: fc.option(fc.string()),
    });
    fc.assert(
      fc.property(call, (recorded) => {
        const reading = readOutcome(recorded);
        expect(reading.benign && reading.outcome !== "failed").toBe(false);
        expect(reading.error === null).toBe(reading.outcome === "ok");
      }),
    );
  });
});

describe("a failure that is ordinary work", () => {
  it.each([
    ["grep without a match", "grep -rn foo src", "Exit code 1"],
    ["rg at the end of a pipeline", "git branch -vv | rg gone", "Exit code 1"],
    ["a search that printed earlier output", "sed -n 1,5p a.ts && rg zzz a.ts", "Exit code 1\nimport x from 'y';"],
    ["diff with a difference", "diff a b", "Exit code 1\n1c1\n< x\n---\n> y"],
    ["test that is not so", "test -f x", "Exit code 1"],
    ["a program that is not there, asked for", "command -v yq", "Exit code 1"],
    ["a silenced probe", "ls plans 2>/dev/null", "Exit code 2"],
    ["an unset git option", "git config --get core.hooksPath", "Exit code 1"],
    ["pending checks", "gh pr checks 12", "Exit code 8\nbuild\tpending\t0"],
    [
      "a plan with changes",
      "terraform plan -detailed-exitcode",
      "Exit code 2\nPlan: 1 to add, 0 to change, 0 to destroy.",
    ],
    [
      "a plan with changes, before others",
      "cd infra && tofu plan -detailed-exitcode -out p",
      "Exit code 2\nPlan: 1 to add.",
    ],
    [
      "a difference in charts",
      "helm diff upgrade shop . --detailed-exitcode",
      "Exit code 2\nshop, Deployment has changed:",
    ],
    ["a difference in the cluster", "kubectl diff -f k8s", "Exit code 1\ndiff -u -N /tmp/LIVE-1/a /tmp/MERGED-2/a"],
    [
      "a code that the call itself chose",
      "trivy image --exit-code 3 app",
      "Exit code 3\nTotal: 4 (HIGH: 3, CRITICAL: 1)",
    ],
    [
      "a code that the call itself chose, as one word",
      "grype --exit-code=7 app",
      "Exit code 7\nopenssl 3.0.2 CVE-2024-1",
    ],
    ["leaks", "gitleaks detect", "Exit code 1\n12:01PM WRN leaks found: 2"],
    ["findings of a scanner", "semgrep scan --error", "Exit code 1\n2 Code Findings\n src/a.py\n ❯❱ exec-use"],
    ["findings in dependencies", "pip-audit", "Exit code 1\nFound 2 known vulnerabilities in 1 package"],
    ["findings in crates", "cargo audit", "Exit code 1\nerror: 1 vulnerability found!"],
    ["findings of a script", "npm run scan", "Exit code 1\n> semgrep scan --error\n\n2 Code Findings"],
    ["a format that differs", "terraform fmt -check", "Exit code 3\nmain.tf"],
    [
      "red Go tests",
      "go test ./...",
      "Exit code 1\n--- FAIL: TestX (0.00s)\n    x_test.go:3: open y: no such file or directory\nFAIL",
    ],
    ["red tests under a runner", "mise run test 2>&1", "Exit code 1\n[test] $ go test ./...\nFAIL\tx/y [build failed]"],
    ["red pytest, cut", "python3 -m pytest tests/x.py", "Exit code 1\n===== test session starts =====\nplatform linux"],
    ["a project's own test runner", "./tests/runtests.py forms", "Exit code 1\nTesting against Django\nE"],
    [
      "red tests of a commit hook",
      "git commit -m x",
      "Exit code 1\n$ bun test src/\nbun test v1.3.5\n[Parser] Warning: no JSON",
    ],
    [
      "lint findings",
      "bun run lint 2>&1",
      "Exit code 1\n$ biome check\nsrc/a.ts:3:4 lint/style/useConst  FIXABLE\n  × This let declares",
    ],
    ["format findings", "bunx prettier --check a.md", "Exit code 1\n[warn] a.md\n[warn] Code style issues found"],
    ["type errors", "npx tsc --noEmit", "Exit code 2\nsrc/a.ts(3,4): error TS2322: Type 'x'"],
    ["compile errors", "go build ./...", "Exit code 1\n# x/y\na/b.go:5:17: undefined: foo"],
    ["a merge conflict", "git rebase origin/main", "Exit code 1\nCONFLICT (content): Merge conflict in a.go"],
    [
      "an assertion of a trial",
      "python reproduce_issue.py",
      'Exit code 1\nTraceback (most recent call last):\n  File "reproduce_issue.py", line 3, in <module>\nAssertionError: 1 != 2',
    ],
    [
      "the bug a trial reproduces",
      "python3 reproduce_issue.py",
      'Exit code 1\nTraceback (most recent call last):\n  File "reproduce_issue.py", line 3, in <module>\n  File "/lib/core.py", line 9, in f\nIndexError: list index out of range',
    ],
    ["a deliberate timeout", "timeout 5 npm run dev", "Exit code 124\nlistening"],
    ["a reader that had enough", "set -o pipefail; git log | head -1", "Exit code 141"],
    [
      "a finding of ruff's formatter",
      "ruff format --check .",
      "Exit code 1\nWould reformat: a.py\n1 file would be reformatted",
    ],
    ["a red test that speaks of a variable", "./tools/runtests", "Exit code 1\nSHOP_DB is not set\n2 failed, 3 passed"],
    [
      "failing tests of one Gradle module",
      "./gradlew :app:test --tests CartTest",
      "Exit code 1\n12 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n> There were failing tests. See the report at: file:///b/index.html",
    ],
    [
      "failing tests on a device",
      "./gradlew :app:connectedDebugAndroidTest",
      "Exit code 1\nFAILURE: Build failed with an exception.\n* What went wrong:\nExecution failed for task ':app:connectedDebugAndroidTest'.",
    ],
    [
      "a failing test of Bazel",
      "bazel test //cart:cart_test",
      "Exit code 3\nINFO: Build completed, 1 test FAILED, 2 total actions\n//cart:cart_test                 FAILED in 0.4s\nExecuted 1 out of 1 test: 1 fails locally.",
    ],
    [
      "an error of the C# compiler",
      "dotnet build Cart.sln",
      "Exit code 1\nCart.cs(12,17): error CS0103: The name 'totl' does not exist in the current context",
    ],
    [
      "a finding of terraform",
      "terraform validate",
      'Exit code 1\n╷\n│ Error: Reference to undeclared input variable\n│\n│   on main.tf line 3, in resource "x" "y":\n│    3:   name = var.nme\n╵',
    ],
  ])("%s", (_what, command, text) => {
    expect(failed(text, command)).toMatchObject({ outcome: "failed", benign: true });
  });
});

describe("a failure that is a mistake", () => {
  it.each([
    ["a command that is not there", "pytest -q", "Exit code 127\nbash: line 1: pytest: command not found"],
    [
      "a missing checker inside a script",
      "bun run lint",
      'Exit code 127\n$ biome check .\n/usr/bin/bash: line 1: biome: command not found\nerror: script "lint" exited with code 127',
    ],
    ["a wrong flag", "gh pr diff 88 --stat", "Exit code 1\nunknown flag: --stat\n\nUsage:  gh pr diff"],
    ["a wrong option", "sed -n 1p a | cat -A", "Exit code 1\ncat: illegal option -- A\nusage: cat [-b]"],
    ["a wrong subcommand", "rtk bun run test", "Exit code 2\nerror: unrecognized subcommand 'bun'"],
    ["a missing file", "cat nope.txt", "Exit code 1\ncat: nope.txt: No such file or directory"],
    [
      "a search in a place that is not there",
      "rg foo apps",
      "Exit code 2\nrg: apps: No such file or directory (os error 2)",
    ],
    ["the wrong folder", "cd cmd/x && go test ./...", "Exit code 1\n(eval):cd:1: no such file or directory: cmd/x"],
    [
      "tests from the wrong folder",
      "go test ./cmd/x",
      "Exit code 1\n# ./cmd/x\nstat /a/cmd/cmd/x: directory not found\nFAIL\t./cmd/x [setup failed]",
    ],
    [
      "no repository",
      "git status",
      "Exit code 128\nfatal: not a git repository (or any of the parent directories): .git",
    ],
    ["a missing module", "python -m pytest", "Exit code 1\n/usr/bin/python: No module named pytest"],
    [
      "a trial without its module",
      "python reproduce.py",
      'Exit code 1\nTraceback (most recent call last):\n  File "reproduce.py", line 1, in <module>\n  File "/lib/x.py", line 2, in <module>\nModuleNotFoundError: No module named \'numpy\'',
    ],
    ["a missing script", "bun run lint", 'Exit code 1\nerror: Script not found "lint"'],
    ["a missing test file", "pytest tests/nope.py", "Exit code 4\nERROR: file or directory not found: tests/nope.py"],
    [
      "a filter that selects no test",
      "pytest -k nope",
      "Exit code 5\n===== test session starts =====\ncollected 9 items / 9 deselected",
    ],
    ["broken quoting", "echo $(", "Exit code 2\nbash: -c: line 1: unexpected EOF while looking for matching `)'"],
    ["a glob without a match", "ls *.zzz", "Exit code 1\nzsh:1: no matches found: *.zzz"],
    [
      "a syntax error in a one-liner",
      'python3 -c "class A: x=1; class B: y"',
      'Exit code 1\n  File "<string>", line 1\n    class A\n    ^\nSyntaxError: invalid syntax',
    ],
    ["missing permission", "./run.sh", "Exit code 126\nbash: ./run.sh: Permission denied"],
    [
      "a rejected push",
      "git push",
      "Exit code 1\n ! [rejected] main -> main (fetch first)\nerror: failed to push some refs to 'x'",
    ],
    [
      "an ignored path",
      "git add dist && git commit -m x",
      "Exit code 1\nThe following paths are ignored by one of your .gitignore files:\ndist",
    ],
    ["a test run the host had to kill", "pytest", "Exit code 143\nCommand timed out after 2m 0.0s"],
    ["a broken search pattern", "grep 'a[' f", "Exit code 2\ngrep: Unmatched [, [^, [:, [., or [="],
    ["a test without its environment", "./tools/runtests", "Exit code 3\nSHOP_DB is not set"],
    [
      "a check without its variable",
      "make check",
      "Exit code 2\nlabel: the variable SHOP_REGION is not set\nmake: *** [Makefile:2: check] Error 1",
    ],
    ["a makefile without its variable", "make check", "Exit code 2\nMakefile:3: *** SHOP_REGION is not set.  Stop."],
    [
      "a check whose shell has no such variable",
      "make check",
      "Exit code 2\ntools/check.sh: line 3: SHOP_REGION: unbound variable\nmake: *** [Makefile:2: check] Error 1",
    ],
    [
      "a check that names what its environment lacks",
      "npm test",
      "Exit code 1\n> node check.js\n\nMissing required environment variable: SHOP_REGION",
    ],
    [
      "a compiler with a wrong option",
      "npx tsc --chek",
      "Exit code 1\nerror TS5023: Unknown compiler option '--chek'.",
    ],
    [
      "a linter with a wrong option",
      "npx eslint --fixx",
      "Exit code 2\nInvalid option '--fixx' - perhaps you meant '--fix'?",
    ],
    [
      "a test runner with a wrong option",
      "npx jest --x",
      'Exit code 1\n● Unrecognized CLI Parameter:\n\n  Unrecognized option "x".',
    ],
    ["a runner that finds no tests", "npx jest nope", "Exit code 1\nNo tests found, exiting with code 1"],
    [
      "a check whose file is missing",
      "make check",
      "Exit code 2\nError: Config file not found: conf/shop.json\nmake: *** [check] Error 1",
    ],
    [
      "a test that must be started through another program",
      "./tools/runtests",
      "Exit code 1\nStart me through ./tools/with-db",
    ],
    [
      "a Gradle task that is not there",
      "./gradlew :app:tset",
      "Exit code 1\nFAILURE: Build failed with an exception.\n* What went wrong:\nCannot locate tasks that match ':app:tset' as task 'tset' not found in project ':app'.",
    ],
    [
      "a project file that is not there",
      "dotnet build Crt.sln",
      "Exit code 1\nMSBUILD : error MSB1009: Project file does not exist.",
    ],
    ["a plan that failed", "terraform plan -detailed-exitcode", "Exit code 1\nError: Invalid provider configuration"],
    [
      "a scanner that could not start",
      "trivy image --exit-code 1 app",
      "Exit code 1\n2026-11-01T10:00:00Z\tFATAL\tFatal error\trun error: image scan error",
    ],
    ["a scanner with a wrong option", "gitleaks detect --fast", "Exit code 1\nError: unknown flag: --fast"],
    [
      "a module file that needs an update",
      "go test ./...",
      "Exit code 1\ngo: updates to go.mod needed; to update it:\n\tgo mod tidy",
    ],
    [
      "a missing checksum",
      "go vet ./...",
      "Exit code 1\na.go:4:2: missing go.sum entry for module providing package x/y; to add:\n\tgo get x/y",
    ],
    [
      "a gem that is not loaded",
      "rspec",
      "Exit code 1\nAn error occurred while loading spec_helper.\nLoadError:\n  cannot load such file -- rails_helper_gem",
    ],
    [
      "a gem that is not installed",
      "bundle exec rspec",
      "Exit code 7\nCould not find rspec-core-3.13.0 in locally installed gems\nRun `bundle install` to install missing gems.",
    ],
    [
      "an option that was replaced",
      "npx jest --testPathPattern a",
      'Exit code 1\n● Validation Error:\n\n  Option "testPathPattern" was replaced by "--testPathPatterns".',
    ],
    [
      "a runtime that is too new",
      "./gradlew test",
      "Exit code 1\nFAILURE: Build failed with an exception.\n> Unsupported class file major version 65",
    ],
    [
      "a runtime that is too old",
      "mvn test",
      "Exit code 1\njava.lang.UnsupportedClassVersionError: org/x/Y has been compiled by a more recent version",
    ],
    [
      "a toolchain without its test module",
      "swift test",
      "Exit code 1\n/w/Tests/ATests/a.swift:1:8: error: no such module 'XCTest'",
    ],
    [
      "a browser that is not installed",
      "npx playwright test",
      "Exit code 1\n  1 failed\nError: browserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chrome",
    ],
    [
      "a heap that is too small",
      "npm run build",
      "Exit code 134\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    ],
    [
      "a lock file that is out of date",
      "cargo test --locked",
      "Exit code 101\nerror: the lock file /w/Cargo.lock needs to be updated but --locked was passed to prevent this",
    ],
  ])("%s", (_what, command, text) => {
    expect(failed(text, command)).toMatchObject({ outcome: "failed", benign: false });
  });

  it.each([
    ["Edit", "<tool_use_error>String to replace not found in file.\nString: --- FAIL: x</tool_use_error>"],
    ["Edit", "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"],
    ["Read", "<tool_use_error>File does not exist.</tool_use_error>"],
    ["apply_patch", "apply_patch verification failed: Failed to find expected lines in /a/b.ts:\nx"],
  ])("of %s: %s", (tool, text) => {
    expect(failed(text, "", tool)).toMatchObject({ outcome: "failed", benign: false });
  });
});
