import { describe, expect, it } from "vitest";
import { explainCannotRun } from "./cannot-run.ts";
import {
  findPretence,
  isTestPath,
  isToolPath,
  leadsOut,
  listCommandsIn,
  listRunFiles,
  listSetups,
} from "./steering.ts";

describe("what steers a check", () => {
  it.each([
    "test/a.js",
    "src/__tests__/a.ts",
    "src/cart.test.ts",
    "cart.spec.mjs",
    "test_cart.py",
    "pkg/cart_test.go",
    "CartTest.java",
    "a.snap",
  ])("are tests: %s", (path) => expect(isTestPath(path)).toBe(true));

  it.each(["src/cart.ts", "src/latest.ts", "contest/a.js", "docs/testing.md"])("are not other files: %s", (path) =>
    expect(isTestPath(path)).toBe(false),
  );

  it.each([
    ..."package.json packages/a/package.json Makefile conftest.py .env .env.test .npmrc vitest.config.ts jest.config.js .mocharc.yml".split(
      " ",
    ),
    ..."tsconfig.build.json pyproject.toml Cargo.toml node_modules/a/index.js __pycache__/a.cpython-311.pyc .gitattributes deno.json".split(
      " ",
    ),
  ])("are settings of tools: %s", (path) => expect(isToolPath(path)).toBe(true));

  it.each(["src/environment.ts", "vite.svg", "src/package.ts", "docs/jest.md", "src/makefile.ts"])(
    "are not files with a similar name: %s",
    (path) => expect(isToolPath(path)).toBe(false),
  );

  it.each([
    ["sh tools/a.sh && ./b", ["tools/a.sh", "b"]],
    ["node --test test/run.mjs", ["test/run.mjs"]],
    ["python3 tools/check.py --fast", ["tools/check.py"]],
    ["python -m tools.check", ["tools/check.py", "tools/check/__main__.py"]],
    ["cd web && node ./../tools/a.js", ["tools/a.js"]],
    ["make -f ci.mk verify", ["ci.mk"]],
    ["node --import ./tools/setup.mjs --test", ["tools/setup.mjs"]],
    ["jest --config=tools/jest.cfg.js", ["tools/jest.cfg.js"]],
    ["grep -q 5 src/out.txt", []],
    ["/usr/bin/true", []],
  ])("are the files that a command runs: %s", (command, files) => expect(listRunFiles(command)).toEqual(files));

  it("are the files that its scripts run in turn", () => {
    expect(
      listCommandsIn("package.json", '{ "scripts": { "test": "sh \\"a b.sh\\"" } }').flatMap(listRunFiles),
    ).toEqual(["a b.sh"]);
    expect(listCommandsIn("Makefile", "verify: a\n\t@sh tools/a.sh\n").flatMap(listRunFiles)).toEqual(["tools/a.sh"]);
    expect(listCommandsIn("check", "#!/bin/sh\nnode tools/a.js\n").flatMap(listRunFiles)).toEqual(["tools/a.js"]);
    expect(listCommandsIn("src/a.js", "sh tools/a.sh")).toEqual([]);
  });

  it("are the files that a test runner loads first", () => {
    const text =
      'export default { test: { setupFiles: ["./src/setup.ts", "a/b.js"], globalSetup: "up.ts", include: ["src/*.ts"] } };';
    expect(listSetups(text)).toEqual(["src/setup.ts", "a/b.js", "up.ts"]);
    expect(listSetups('{ "jest": { "setupFilesAfterEnv": ["<rootDir>/jest/after.js"] } }')).toEqual(["jest/after.js"]);
  });

  it("are modules that Python takes in place of its own", () => {
    expect(["unittest/__init__.py", "re.py", "json/index.ts", "src/re.py"].map(isToolPath)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("are links that lead out", () => {
    for (const [link, target] of [
      ["a", "/etc/passwd"],
      ["a", "../b"],
      ["a/b", "../../c"],
      ["a", ".git/config"],
    ] as const)
      expect(leadsOut(link, target)).toBe(true);
    for (const [link, target] of [
      ["a", "b"],
      ["a/b", "../c"],
      ["a/b/c", "../../d/./e"],
    ] as const)
      expect(leadsOut(link, target)).toBe(false);
  });
});

describe("a line that the work adds", () => {
  it.each([
    "process.exit();",
    "  process.exit(0)",
    'process["exit"](0)',
    "os._exit(code)",
    "sys.exit(0)",
    "os.Exit(0)",
    "exit 0",
    'print("5 passed in 0.1s")',
    'console.log("# pass 3")',
  ])("may only look like success: %s", (line) => expect(findPretence([line])).toBe(line.trim()));

  it.each(["process.exit(1)", "return 0;", "os.Exit(2)", "const passed = 5;", "exit 1", "// the exit is over there"])(
    "is ordinary: %s",
    (line) => expect(findPretence([line])).toBeNull(),
  );
});

describe("a command that fails", () => {
  it.each([
    [{ exitCode: 127, output: "" }, /not there/],
    [{ exitCode: 1, output: "Error: Cannot find module 'left-pad'\n" }, /left-pad/],
    [{ exitCode: 1, output: 'npm error Missing script: "verify"\n' }, /verify/],
    [{ exitCode: 2, output: "make: *** No rule to make target 'verify'.  Stop.\n" }, /verify/],
    [{ exitCode: 1, output: "/usr/bin/python3: No module named pytest\n" }, /pytest/],
    [{ exitCode: 1, output: "> test\n> jest\n\nsh: 1: jest: not found\n" }, /jest/],
  ])("could not be run: %j", (run, says) => expect(explainCannotRun(run)).toMatch(says));

  it.each(["Cannot find module './cart'", "AssertionError: 0 == 5", "file not found: a.txt", "No module named 'cart'"])(
    "was run: %s",
    (output) => expect(explainCannotRun({ exitCode: 1, output })).toBeNull(),
  );
});
