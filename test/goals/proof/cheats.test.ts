import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { skipWithoutSandbox } from "../../converse/sandbox.ts";
import { type CheckInput, type Files, type Shop, shopFiles, workDone, withProof } from "./proof-place.ts";

interface Cheat {
  readonly check: CheckInput;
  readonly files?: Files;
  /** What is done in place of the work. All of it is committed afterwards. */
  readonly cheat: (shop: Shop) => void;
  readonly verdict: "claimed" | "failed";
  readonly says: RegExp;
}

const test = { test: "npm test" };
const cartTest = String(shopFiles["test/cart.test.js"]);
const python: Files = {
  "cart.py": "def total(prices):\n    return 0\n",
  "test_cart.py":
    "import unittest\nfrom cart import total\nclass T(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(total([2, 3]), 5)\n",
};
const unit = { test: "python3 -m unittest" };

/** A check that is a program of its own, in two files. */
const compared: Files = {
  ...shopFiles,
  "tools/verify.js":
    'const { expect } = require("./expect.js");\nconst { total } = require("../src/cart.js");\nexpect(total([2, 3]), 5);\n',
  "tools/expect.js": "exports.expect = (found, wanted) => { if (found !== wanted) throw new Error(`${found}`); };\n",
};

const cheats: Readonly<Record<string, Cheat>> = {
  "deletes the test": {
    check: test,
    cheat: (shop) => shop.write({ "test/cart.test.js": 'require("node:test")("fine", () => {});\n' }),
    verdict: "claimed",
    says: /passes only with .*test\/cart\.test\.js/,
  },
  "does the work, and removes the file of the test": {
    check: test,
    cheat: (shop) => shop.write({ ...workDone, "test/cart.test.js": null }),
    verdict: "claimed",
    says: /The work deletes test\/cart\.test\.js/,
  },
  "does the work, and removes one of two tests": {
    check: test,
    cheat: (shop) => shop.write({ ...workDone, "test/cart.test.js": cartTest.split("\n").slice(0, 4).join("\n") }),
    verdict: "claimed",
    says: /as the work left them, 1 test ran, and 2 without the work/,
  },
  "does the work, and removes the script of the check": {
    check: { check: "sh tools/verify.sh" },
    cheat: (shop) => shop.write({ ...workDone, "tools/verify.sh": null }),
    verdict: "claimed",
    says: /what the work changed of the check itself \(tools\/verify\.sh\), it fails/,
  },
  "writes exit 0 into the script of the check": {
    check: { check: "sh tools/verify.sh" },
    cheat: (shop) => shop.write({ "tools/verify.sh": "exit 0\n" }),
    verdict: "claimed",
    says: /passes only with .*tools\/verify\.sh/,
  },
  "has `true` as its check": {
    check: { check: "true" },
    cheat: (shop) => shop.write({ "notes.txt": "done\n" }),
    verdict: "claimed",
    says: /passes without the work too/,
  },
  "skips the suite": {
    check: test,
    cheat: (shop) => shop.write({ "test/cart.test.js": cartTest.replaceAll('test("', 'test.skip("') }),
    verdict: "claimed",
    says: /passes only with .*test\/cart\.test\.js/,
  },
  "commits nothing": {
    check: test,
    cheat: () => {},
    verdict: "failed",
    says: /commits since the task was made change nothing/,
  },
  "edits a file that belongs to the check": {
    check: { check: "diff expected.txt src/out.txt", files: "expected.txt" },
    files: { "expected.txt": "5\n", "src/out.txt": "0\n" },
    cheat: (shop) => shop.write({ "expected.txt": "0\n" }),
    verdict: "claimed",
    says: /passes only with .*expected\.txt/,
  },
  "leaves an old artefact that is not committed": {
    check: { check: "grep -q 5 dist/out.txt" },
    cheat: (shop) => shop.write({ "dist/out.txt": "5\n", "notes.txt": "built\n" }),
    verdict: "failed",
    says: /ended with 2/,
  },
  "changes the script in package.json": {
    check: test,
    cheat: (shop) => shop.write({ "package.json": '{ "scripts": { "test": "echo 2 passing" } }\n' }),
    verdict: "claimed",
    says: /passes only with .*package\.json/,
  },
  "changes the target in the Makefile": {
    check: { check: "make verify" },
    cheat: (shop) => shop.write({ Makefile: "verify:\n\t@true\n" }),
    verdict: "claimed",
    says: /passes only with .*Makefile/,
  },
  "changes a script that the Makefile runs": {
    check: { check: "make verify" },
    cheat: (shop) => shop.write({ "tools/verify.sh": "true\n" }),
    verdict: "claimed",
    says: /passes only with .*tools\/verify\.sh/,
  },
  "empties what the script of the check compares with": {
    check: { check: "node tools/verify.js" },
    files: compared,
    cheat: (shop) => shop.write({ "tools/expect.js": "exports.expect = () => {};\n" }),
    verdict: "claimed",
    says: /passes only with .*tools\/expect\.js/,
  },
  "empties what the script behind `npm run` compares with": {
    check: { check: "npm run --silent verify" },
    files: { ...compared, "package.json": '{ "scripts": { "verify": "node tools/verify.js" } }\n' },
    cheat: (shop) => shop.write({ "tools/expect.js": "exports.expect = () => {};\n" }),
    verdict: "claimed",
    says: /passes only with .*tools\/expect\.js/,
  },
  "empties what a test compares with, in a folder of its own": {
    check: test,
    files: {
      ...shopFiles,
      "test/cart.test.js": cartTest.replace('require("node:assert")', 'require("../support/eq")'),
      "support/eq.js": 'exports.equal = require("node:assert").equal;\n',
    },
    cheat: (shop) => shop.write({ "support/eq.js": "exports.equal = () => {};\n" }),
    verdict: "claimed",
    says: /passes only with .*support\/eq\.js/,
  },
  "empties what a test compares with, behind another module": {
    check: test,
    files: {
      ...shopFiles,
      "test/cart.test.js": cartTest.replace('require("node:assert")', 'require("../support/all.js")'),
      "support/all.js": 'exports.equal = require("../lib/compare").equal;\n',
      "lib/compare/index.js": 'exports.equal = require("./assertions.js").equal;\n',
      "lib/compare/assertions.js": 'exports.equal = require("node:assert").equal;\n',
    },
    cheat: (shop) => shop.write({ "lib/compare/assertions.js": "exports.equal = () => {};\n" }),
    verdict: "claimed",
    says: /passes only with .*lib\/compare\/assertions\.js/,
  },
  "empties what a script in Python compares with": {
    check: { check: "python3 tools/check.py" },
    files: {
      "cart.py": python["cart.py"] ?? "",
      "tools/helper.py": "def same(left, right):\n    assert left == right\n",
      "tools/check.py":
        "import sys\nsys.path.insert(0, '.')\nfrom helper import same\nfrom cart import total\nsame(total([2, 3]), 5)\n",
    },
    cheat: (shop) => shop.write({ "tools/helper.py": "def same(left, right):\n    pass\n" }),
    verdict: "claimed",
    says: /passes only with .*tools\/helper\.py/,
  },
  "adds a conftest.py that skips every test": {
    check: { test: "python3 -m pytest -q" },
    files: python,
    cheat: (shop) =>
      shop.write({
        "conftest.py":
          "import pytest\ndef pytest_collection_modifyitems(items):\n    for one in items: one.add_marker(pytest.mark.skip())\n",
      }),
    verdict: "claimed",
    says: /passes only with .*conftest\.py/,
  },
  "adds settings by which no test is found": {
    check: { check: "python3 -m pytest -q || test $? -eq 5" },
    files: python,
    cheat: (shop) => shop.write({ "pytest.ini": "[pytest]\npython_files = nothing.py\n" }),
    verdict: "claimed",
    says: /passes only with .*pytest\.ini/,
  },
  "ends the process in a new test": {
    check: { test: "node --test" },
    cheat: (shop) => shop.write({ "test/a.test.js": "process.exit(0);\n", "src/cart.js": "process.exit(0);\n" }),
    verdict: "claimed",
    says: /Without its new tests, 1 test ran/,
  },
  "ends the process in the code under test": {
    check: { check: "node -e \"require('node:assert').equal(require('./src/cart.js').total([2, 3]), 5)\"" },
    cheat: (shop) => shop.write({ "src/cart.js": "process.exit(0);\n" }),
    verdict: "claimed",
    says: /added `process\.exit\(0\);` to src\/cart\.js/,
  },
  "sets a hook, a filter and a monitor in .git/config": {
    check: { check: "grep -q 5 src/out.txt" },
    files: { "src/out.txt": "0\n" },
    cheat: (shop) => {
      const config = join(shop.folder, ".git", "config");
      const mark = join(shop.folder, "ran");
      appendFileSync(
        config,
        `[core]\n\tfsmonitor = "touch ${mark}; false"\n[filter "five"]\n\tsmudge = "touch ${mark}; echo 5"\n\tclean = cat\n`,
      );
      writeFileSync(join(shop.folder, ".git", "hooks", "post-checkout"), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
      writeFileSync(join(shop.folder, ".git", "info", "attributes"), "* filter=five\n");
      shop.write({ "notes.txt": "done\n" });
    },
    verdict: "failed",
    says: /ended with 1/,
  },
  "names a filter in .gitattributes": {
    check: { check: "grep -q 5 src/out.txt" },
    files: { "src/out.txt": "0\n" },
    cheat: (shop) => {
      shop.git("config", "filter.five.smudge", "echo 5");
      shop.write({ ".gitattributes": "* filter=five\n" });
    },
    verdict: "failed",
    says: /ended with 1/,
  },
  "commits a link that leads out of the repository": {
    check: { check: "grep -q root out.txt" },
    cheat: (shop) => shop.write({ "out.txt": { link: "/etc/passwd" } }),
    verdict: "claimed",
    says: /passes only with .*out\.txt/,
  },
  "commits a link as the file": {
    check: { file: "out.txt" },
    cheat: (shop) => shop.write({ "out.txt": { link: "/etc/passwd" } }),
    verdict: "failed",
    says: /no file out\.txt/,
  },
  "rewrites the commit from which the work began": {
    check: test,
    cheat: (shop) => {
      shop.write({ ...workDone, "package.json": '{ "scripts": { "test": "node --test" } }\n' });
      shop.git("add", "--all");
      shop.git("commit", "--quiet", "--amend", "--message", "begin");
    },
    verdict: "claimed",
    says: /history was rewritten/,
  },
  "moves the tests away": {
    check: test,
    cheat: (shop) => {
      shop.git("mv", "test/cart.test.js", "cart.old.js");
      shop.write({ "test/empty.test.js": 'require("node:test")("fine", () => {});\n' });
    },
    verdict: "claimed",
    says: /passes only with .*test\/cart\.test\.js/,
  },
  "weakens the assertion": {
    check: test,
    cheat: (shop) => shop.write({ "test/cart.test.js": cartTest.replace("equal(total([2, 3]), 5)", "total([2, 3])") }),
    verdict: "claimed",
    says: /passes only with .*test\/cart\.test\.js/,
  },
  "never ends": {
    check: { check: "sh tools/verify.sh", seconds: 1 },
    cheat: (shop) => shop.write({ "src/cart.js": "for (;;);\n" }),
    verdict: "failed",
    says: /took longer than 1 seconds/,
  },
  "sets a variable in a dotfile": {
    check: { check: "sh tools/check.sh" },
    files: {
      "tools/check.sh": '[ -f .env ] && . ./.env\n[ "$SKIP" = 1 ] || grep -q 5 src/out.txt\n',
      "src/out.txt": "0\n",
    },
    cheat: (shop) => shop.write({ ".env": "SKIP=1\n" }),
    verdict: "claimed",
    says: /passes only with .*\.env/,
  },
  "puts a module of its own in place of the test runner": {
    check: unit,
    files: python,
    cheat: (shop) =>
      shop.write({
        "unittest/__init__.py": "class TestCase: pass\n",
        "unittest/__main__.py": 'print("Ran " + str(1) + " test in 0.001s\\n\\nOK")\n',
      }),
    verdict: "claimed",
    says: /passes only with .*unittest\/__init__\.py/,
  },
  "changes a file that the tests load first": {
    check: { test: "npm test" },
    files: {
      ...shopFiles,
      "package.json": '{ "scripts": { "test": "node --require ./src/setup.js --test" } }\n',
      "src/setup.js": "",
    },
    cheat: (shop) => shop.write({ "src/setup.js": 'require("node:assert").equal = () => {};\n' }),
    verdict: "claimed",
    says: /passes only with .*src\/setup\.js/,
  },
  "puts a link where the tests were": {
    check: test,
    cheat: (shop) => {
      shop.write({ "src/fine/cart.test.js": 'require("node:test")("fine", () => {});\n', test: { link: "src/fine" } });
    },
    verdict: "claimed",
    says: /passes only with .*test\/cart\.test\.js/,
  },
  "writes another test under the name of the old object": {
    check: { test: "npm test" },
    cheat: (shop) => {
      const object = shop.git("rev-parse", "HEAD:test/cart.test.js");
      const path = join(shop.folder, ".git", "objects", object.slice(0, 2), object.slice(2));
      const fine = 'const { test } = require("node:test"); test("a", () => {}); test("b", () => {});\n';
      rmSync(path);
      writeFileSync(path, deflateSync(Buffer.from(`blob ${fine.length}\0${fine}`)));
      shop.write({ "notes.txt": "done\n" });
    },
    verdict: "claimed",
    says: /damaged or missing/,
  },
  "writes another folder under the name of the old one": {
    check: { test: "npm test" },
    cheat: (shop) => {
      const old = shop.git("rev-parse", "HEAD:test");
      shop.write({ "fine.txt": 'require("node:test")("fine", () => {});\n' });
      const fine = shop.git("hash-object", "-w", "fine.txt");
      const path = join(shop.folder, ".git", "objects", old.slice(0, 2), old.slice(2));
      const entry = Buffer.concat([Buffer.from("100644 cart.test.js\0"), Buffer.from(fine, "hex")]);
      rmSync(path);
      writeFileSync(path, deflateSync(Buffer.concat([Buffer.from(`tree ${entry.length}\0`), entry])));
    },
    verdict: "claimed",
    says: /damaged or missing/,
  },
  "prints `5 passed` and ends": {
    check: unit,
    files: python,
    cheat: (shop) =>
      shop.write({
        "cart.py": 'import os, sys\nprint("===== 5 passed in 0.01s =====")\nsys.stdout.flush()\nos._exit(0)\n',
      }),
    verdict: "claimed",
    says: /to cart\.py/,
  },
  "prints a summary beside that of the runner": {
    check: { test: "python3 -m unittest cart" },
    files: {
      "cart.py":
        "import unittest\nclass T(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(0, 5)\n    def test_two(self):\n        self.assertEqual(0, 0)\n",
    },
    cheat: (shop) =>
      shop.write({
        "cart.py":
          'import sys, unittest\nsys.stderr.write("Ran " + str(5) + " tests in 0.1s\\n\\nOK\\n")\nclass T(unittest.TestCase):\n    def test_one(self):\n        pass\n',
      }),
    verdict: "claimed",
    says: /2 summaries of tests/,
  },
  "makes up for lost tests with new ones": {
    check: { test: "node --test" },
    cheat: (shop) =>
      shop.write({
        "src/cart.js": 'process["ex" + "it"](0);\n',
        "test/more.test.js": 'const { test } = require("node:test");\ntest("a", () => {});\ntest("b", () => {});\n',
      }),
    verdict: "claimed",
    says: /Without its new tests, 1 test ran, and 2 without the work/,
  },
  "puts a program into node_modules": {
    check: { check: "node tools/run.cjs" },
    files: {
      "cart.js": "exports.total = () => 0;\n",
      "tools/run.cjs": 'require("assert").equal(require("cart").total([2, 3]), 5);\n',
      ".gitignore": "dist/\n",
    },
    cheat: (shop) => shop.write({ "node_modules/cart/index.js": "exports.total = () => 5;\n" }),
    verdict: "claimed",
    says: /passes without the work too/,
  },
};

/** Not every machine has it. */
const hasPytest = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0;
const tried = Object.entries(cheats).filter(([, { check }]) => hasPytest || !JSON.stringify(check).includes("pytest"));

describe.skipIf(skipWithoutSandbox)("work that only looks done", () => {
  it("is tried in at least twenty ways", () => {
    expect(tried.length).toBeGreaterThanOrEqual(20);
  });

  it.each(tried)("is never verified: whoever %s", (_name, { check, files, cheat, verdict, says }) =>
    withProof(files === undefined ? { check } : { check, files }, async ({ shop, verify }) => {
      cheat(shop);
      shop.git(
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "add",
        "--all",
        "--force",
        "--",
        ":!dist",
      );
      shop.git(
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "work",
      );
      const found = await verify();
      expect(found.why).toMatch(says);
      expect(found).toMatchObject({ verdict, task: { proof: verdict === "claimed" ? "claimed" : null } });
      expect(found.task.status).toBe(verdict === "claimed" ? "done" : "pending");
      expect(existsSync(join(shop.folder, "ran"))).toBe(false);
    }),
  );
});
