/** What a test runner says at its end. */
export interface TestCount {
  /** Passed or failed. */
  readonly ran: number;
  readonly skipped: number;
  /** How many summaries were added up. */
  readonly summaries: number;
}

/** Null if no summary of a known test runner is there. The output has no colours any more. */
export function countTests(output: string): TestCount | null {
  for (const read of readers) {
    const found = read(output);
    if (found.length > 0)
      return {
        ran: found.reduce((sum, one) => sum + one.ran, 0),
        skipped: found.reduce((sum, one) => sum + one.skipped, 0),
        summaries: found.length,
      };
  }
  return null;
}

type Summary = Omit<TestCount, "summaries">;
type Reader = (output: string) => readonly Summary[];

const readers: readonly Reader[] = [
  // vitest: ` Tests  1 failed | 4 passed | 2 skipped (7)`; jest: `Tests:       1 failed, 2 skipped, 4 passed, 7 total`.
  (output) => matchAll(output, /^ *Tests:? +((?:\d+ \w+(?: \| |, )?)+)(?: \(\d+\))? *$/gm).map(readParts),
  // node:test, as TAP and as spec.
  (output) => readTotals(output, /^(?:#|ℹ) (tests|pass|fail|skipped|todo|cancelled) (\d+) *$/gm),
  // pytest: `=== 1 failed, 3 passed, 2 skipped in 0.12s ===`, also without the frame.
  (output) =>
    matchAll(
      output,
      /^(?:=+ )?((?:\d+ (?:passed|failed|skipped|xfailed|xpassed|errors?|warnings?|deselected)(?:, )?)+) in [\d.]+m?s.*$/gm,
    ).map(readParts),
  // unittest: `Ran 3 tests in 0.001s`, then `OK (skipped=1)`.
  (output) =>
    matchAll(output, /^(Ran (\d+) tests? in .*\n+(?:OK|FAILED)(?: \(([^)]*)\))?)/gm).map((text) => {
      const skipped = Number(/skipped=(\d+)/.exec(text)?.[1] ?? 0);
      return { ran: Number(/^Ran (\d+)/.exec(text)?.[1] ?? 0) - skipped, skipped };
    }),
  // cargo: one line for each binary.
  (output) =>
    addedUp(
      matchAll(output, /^test result: \w+\. (\d+ passed; \d+ failed; \d+ ignored).*$/gm).map((text) =>
        readParts(text.replaceAll(";", ",")),
      ),
    ),
  // go test -v.
  (output) =>
    addedUp(
      matchAll(output, /^--- (PASS|FAIL|SKIP): /gm).map((how) =>
        how === "SKIP" ? { ran: 0, skipped: 1 } : { ran: 1, skipped: 0 },
      ),
    ),
  // mocha: `3 passing (5ms)`, `1 pending`, `1 failing`.
  (output) => readTotals(output, /^ *(\d+) (passing|failing|pending)\b.*$/gm, true),
  // Plain TAP.
  (output) =>
    /^(?:TAP version \d+|1\.\.\d+)$/m.test(output)
      ? addedUp(
          matchAll(output, /^(?:not )?ok\b(.*)$/gm).map((text) =>
            /#\s*(?:skip|todo)/i.test(text) ? { ran: 0, skipped: 1 } : { ran: 1, skipped: 0 },
          ),
        )
      : [],
];

function matchAll(output: string, pattern: RegExp): readonly string[] {
  return [...output.matchAll(pattern)].map(([, text = ""]) => text);
}

/** `1 failed | 4 passed`, in whatever order. */
function readParts(text: string): Summary {
  const parts = [...text.matchAll(/(\d+) (\w+)/g)].map(([, count = "0", what = ""]) => [what, Number(count)] as const);
  const sum = (names: RegExp) => parts.filter(([what]) => names.test(what)).reduce((all, [, count]) => all + count, 0);
  return {
    ran: sum(/^(?:passed|failed|xpassed|errors?)$/),
    skipped: sum(/^(?:skipped|todo|pending|ignored|xfailed|deselected)$/),
  };
}

/** A summary of several lines: a new one begins where a name comes again. */
function readTotals(output: string, pattern: RegExp, isCountFirst = false): readonly Summary[] {
  const blocks: Map<string, number>[] = [];
  for (const [, left = "", right = ""] of output.matchAll(pattern)) {
    const [name, count] = isCountFirst ? [right, left] : [left, right];
    const last = blocks.at(-1);
    if (last === undefined || last.has(name)) blocks.push(new Map([[name, Number(count)]]));
    else last.set(name, Number(count));
  }
  return blocks.map((block) => {
    const of = (...names: readonly string[]) => names.reduce((sum, name) => sum + (block.get(name) ?? 0), 0);
    return { ran: of("pass", "fail", "passing", "failing"), skipped: of("skipped", "todo", "cancelled", "pending") };
  });
}

/** For runners that print one line for each part of their work. */
function addedUp(found: readonly Summary[]): readonly Summary[] {
  if (found.length === 0) return [];
  const sum = (what: keyof Summary) => found.reduce((all, one) => all + one[what], 0);
  return [{ ran: sum("ran"), skipped: sum("skipped") }];
}
