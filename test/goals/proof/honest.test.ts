import { describe, expect, it } from "vitest";
import { operationNamed } from "../../../src/operations.ts";
import { skipWithoutSandbox } from "../../converse/sandbox.ts";
import { type CheckInput, type Files, type Shop, shopFiles, withProof, withReviewer, workDone } from "./proof-place.ts";

interface Honest {
  readonly check: CheckInput;
  readonly files?: Files;
  readonly work: (shop: Shop) => void;
  readonly says: RegExp;
}

const work: Readonly<Record<string, Honest>> = {
  "a test command, with new tests": {
    check: { test: "npm test" },
    work: (shop) =>
      shop.write({
        ...workDone,
        "test/more.test.js":
          'require("node:test").test("one price", () => require("node:assert").equal(require("../src/cart.js").total([4]), 4));\n',
      }),
    says: /`npm test` passes, 3 tests, and failed before/,
  },
  "a test command of Python": {
    check: { test: "python3 -m unittest" },
    files: {
      "cart.py": "def total(prices):\n    return 0\n",
      "test_cart.py":
        "import unittest\nfrom cart import total\nclass T(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(total([2, 3]), 5)\n",
    },
    work: (shop) => shop.write({ "cart.py": "def total(prices):\n    return sum(prices)\n" }),
    says: /passes, 1 test,/,
  },
  "a command": {
    check: { check: "sh tools/verify.sh" },
    work: (shop) => shop.write(workDone),
    says: /`sh tools\/verify\.sh` passes, and failed before/,
  },
  "a target of the Makefile": {
    check: { check: "make verify" },
    work: (shop) => shop.write(workDone),
    says: /`make verify` passes/,
  },
  "a command with an exit code of its own": {
    check: { check: "sh -c 'grep -q 5 notes.txt && exit 3'", exit: 3 },
    work: (shop) => shop.write({ "notes.txt": "5\n" }),
    says: /passes/,
  },
  "a command that looks at the script which the work changes": {
    check: { check: "sh src/say.sh | grep -q hello", files: "expected.txt" },
    files: { "src/say.sh": "echo nothing\n", "expected.txt": "hello\n" },
    work: (shop) => shop.write({ "src/say.sh": "echo hello\n" }),
    says: /passes/,
  },
  "a script beside the module that it looks at": {
    check: { check: "node check.js" },
    files: {
      "check.js":
        'const { total } = require("./cart.js");\nconst { same } = require("./lib/same.js");\nsame(total([2, 3]), 5);\n',
      "cart.js": "exports.total = () => 0;\n",
      "lib/same.js": 'exports.same = require("node:assert").equal;\n',
    },
    work: (shop) => shop.write({ "cart.js": "exports.total = () => 5;\n" }),
    says: /`node check\.js` passes/,
  },
  "a test beside the module that it tests, which needs another folder too": {
    check: { test: "node --test src/cart.test.js" },
    files: {
      "src/cart.test.js":
        'const { total } = require("./cart.js");\nconst { five } = require("../lib/five.js");\nrequire("node:test").test("adds", () => require("node:assert").equal(total(), five));\n',
      "src/cart.js": "exports.total = () => 0;\n",
      "lib/five.js": "exports.five = 5;\n",
    },
    work: (shop) => shop.write({ "src/cart.js": "exports.total = () => 5;\n" }),
    says: /passes, 1 test,/,
  },
  "a test of a helper that the program uses too": {
    check: { test: "npm test" },
    files: {
      ...shopFiles,
      "src/helpers.js": "exports.sum = () => 0;\n",
      "src/cart.js": 'exports.total = require("./helpers.js").sum;\n',
    },
    work: (shop) => shop.write({ "src/helpers.js": "exports.sum = (all) => all.reduce((a, b) => a + b, 0);\n" }),
    says: /passes, 2 tests,/,
  },
  "a command that needs installed programs": {
    check: { check: "node -e \"require('node:assert').equal(require('./src/cart.js').total(), require('five'))\"" },
    work: (shop) => {
      shop.write({
        "node_modules/five/index.js": "module.exports = 5;\n",
        "src/cart.js": "exports.total = () => 5;\n",
      });
    },
    says: /passes/,
  },
  "a file": {
    check: { file: "docs/cart.md" },
    work: (shop) => shop.write({ "docs/cart.md": "# Cart\n" }),
    says: /docs\/cart\.md is there/,
  },
  "a file with a text": {
    check: { file: "./src/cart.js", contains: "reduce" },
    work: (shop) => shop.write(workDone),
    says: /src\/cart\.js contains "reduce"/,
  },
  "a commit by its message": {
    check: { commit: "fix(cart)" },
    work: (shop) => {
      shop.write(workDone);
      shop.commit("fix(cart): add the prices");
    },
    says: /commit [\da-f]{10} does it/,
  },
  "a commit by what it changes": {
    check: { changes: "src,docs" },
    work: (shop) => shop.write({ ...workDone, "docs/cart.md": "# Cart\n" }),
    says: /commit [\da-f]{10} does it/,
  },
};

describe.skipIf(skipWithoutSandbox)("work that is done", () => {
  it.each(Object.entries(work))("is verified by %s", (_name, { check, files = shopFiles, work: act, says }) =>
    withProof({ check, files }, async ({ shop, verify }) => {
      // Installed before the task is begun, and no part of the repository.
      shop.write({ "node_modules/five/index.js": "module.exports = 5;\n" });
      act(shop);
      const head = shop.commit();
      const found = await verify();
      expect(found.why).toMatch(says);
      expect(found).toMatchObject({
        verdict: "verified",
        commit: head,
        task: { status: "done", proof: "verified", reason: null },
      });
      expect(found.task.result).toContain(head.slice(0, 10));
    }),
  );

  it("is verified by a reviewer, who sees the criteria and the diff as data", () =>
    withReviewer(['{"met": true, "why": "total() adds the prices."}'], (model, more) =>
      withProof({ check: { review: "total() adds all prices" }, more }, async ({ shop, verify }) => {
        shop.write(workDone);
        shop.commit();
        expect(await verify()).toMatchObject({
          verdict: "verified",
          why: expect.stringMatching(/says yes: total\(\) adds/),
        });
        const asked = JSON.stringify(model.requests[0]?.body);
        expect(asked).toContain("total() adds all prices");
        expect(asked).toMatch(/\| \+exports\.total = \(prices\)/);
      }),
    ));

  it("is judged again when it was verified; its record stays, and a failure is said", () =>
    withProof({ check: { check: "sh tools/verify.sh" } }, async ({ id, shop, run, verify }) => {
      shop.write(workDone);
      const good = shop.commit();
      expect(await verify()).toMatchObject({ verdict: "verified", wasVerified: false });
      expect(await verify()).toMatchObject({ verdict: "verified", wasVerified: true, commit: good, change: null });
      shop.write({ "src/cart.js": "exports.total = () => 0;\n" });
      shop.commit();
      const found = await verify();
      expect(found).toMatchObject({ verdict: "failed", wasVerified: true, change: null, task: { proof: "verified" } });
      const verifying = operationNamed("task verify");
      expect(verifying.isNegative?.(found)).toBe(true);
      expect(verifying.render(found)).toMatch(/^Not done .*\n[^]*its record stays: [^]*task retry/);
      await expect(verify({ commit: "nonsense" })).rejects.toMatchObject({ code: "usage" });
      expect((await run("task retry", { task: id })).task).toMatchObject({ status: "pending", proof: null });
    }));

  it("is verified by a person's yes, without a diff", () =>
    withProof({ check: { person: "Is it well?" } }, async ({ id, run, verify }) => {
      await expect(verify()).rejects.toMatchObject({ hint: `oldhand task done ${id} is your yes` });
      expect((await run("task done", { task: id })).task.proof).toBe("verified");
      expect(await verify()).toMatchObject({ verdict: "verified", change: null });
    }));
});
