import { describe, expect, it } from "vitest";
import { countTests } from "./count-tests.ts";

/** As the runners print them, without colours. */
const outputs: Readonly<Record<string, readonly [string, number, number]>> = {
  vitest: [" Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 4 passed | 2 skipped (7)\n", 5, 2],
  "vitest, all passed": [" Test Files  1 passed (1)\n      Tests  27 passed (27)\n   Start at  05:09:07\n", 27, 0],
  jest: ["Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 skipped, 1 todo, 4 passed, 8 total\n", 5, 3],
  "node:test as TAP": ["1..3\n# tests 5\n# suites 0\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 1\n", 3, 2],
  "node:test as spec": ["ℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n", 2, 0],
  pytest: ["===== 1 failed, 3 passed, 2 skipped, 1 deselected in 0.12s =====\n", 4, 3],
  "pytest -q": ["...s\n3 passed, 1 skipped in 0.01s\n", 3, 1],
  unittest: ["..\n-----\nRan 3 tests in 0.001s\n\nOK (skipped=1)\n", 2, 1],
  "cargo test": [
    "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
    5,
    1,
  ],
  "go test -v": [
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\n--- FAIL: TestC (0.00s)\nFAIL\n",
    2,
    1,
  ],
  mocha: ["\n  3 passing (5ms)\n  1 pending\n  1 failing\n", 4, 1],
  TAP: ["TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP not here\n", 2, 1],
};

describe("the summary of a test runner", () => {
  it.each(Object.entries(outputs))("is read: %s", (_name, [output, ran, skipped]) => {
    expect(countTests(output)).toEqual({ ran, skipped, summaries: 1 });
  });

  it("is counted as often as it is printed", () => {
    expect(countTests("== 5 passed in 0.1s ==\n== 1 passed in 0.1s ==\n")).toEqual({
      ran: 6,
      skipped: 0,
      summaries: 2,
    });
  });

  it("is not seen where there is none", () => {
    for (const output of ["", "ok  \tshop\t0.01s\n", "we ran 5 tests today\n"]) expect(countTests(output)).toBeNull();
  });
});
