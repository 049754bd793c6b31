import { describe, expect, it } from "vitest";
import { proveRule, type ProofSession } from "../../src/domain/proof/proof.ts";
import type { Arm } from "../../src/domain/proof/e-process.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { formatEffect } from "../../src/operations/rules/effect-text.ts";
import { effectOut } from "../../src/operations/shared/shapes.ts";

const policy = defaultPolicy.distil;

function sessions(arm: Arm, count: number, attempts: number): readonly ProofSession[] {
  return Array.from({ length: count }, (_, at) => ({ arm, opportunities: 1, attempts: at < attempts ? 1 : 0 }));
}

function describeVerdict(history: readonly ProofSession[], oneIn: number | null): string {
  const proof = proveRule(history, { oneIn }, policy);
  const { verdict, reason } = proof;
  const effect = effectOut({ proof, verdict, byFamily: false, reason, callsPerOpportunity: null });
  return formatEffect({ ...effect, since: "2026-01-05T09:00:00.000Z", deliveries: [] });
}

const histories: readonly (readonly [string, readonly ProofSession[], number | null])[] = [
  ["nothing", [], null],
  ["never met with it", sessions("before", 12, 6), null],
  ["never met without it", sessions("treated", 5, 1), null],
  ["few sessions", [...sessions("before", 5, 3), ...sessions("treated", 3, 1)], null],
  ["proven without a control group", [...sessions("before", 60, 40), ...sessions("treated", 60, 2)], null],
  ["proven", [...sessions("before", 60, 40), ...sessions("treated", 90, 3), ...sessions("held-out", 20, 13)], 10],
  ["harmful", [...sessions("before", 60, 9), ...sessions("treated", 90, 70), ...sessions("held-out", 20, 3)], 10],
  ["no change", [...sessions("before", 2_000, 800), ...sessions("treated", 2_000, 800)], null],
  [
    "a control group that disagrees",
    [...sessions("before", 60, 40), ...sessions("treated", 90, 18), ...sessions("held-out", 30, 3)],
    10,
  ],
];

describe("what is told of a rule's effect", () => {
  it.each(histories)("agrees with the counts below it: %s", (_what, history, oneIn) => {
    const text = describeVerdict(history, oneIn);
    const [head = "", ...lines] = text.split("\n");
    for (const [name, says] of [
      ["before it", "before it"],
      ["with it", "with it"],
      ["control group", "in its control group"],
    ] as const) {
      const line = lines.find((one) => one.startsWith(`  ${name}`)) ?? "no chance";
      const share = new RegExp(`(\\d+) % of (\\d+) chances? ${says}`).exec(head);
      if (line.includes("no chance")) expect(share).toBeNull();
      else if (share !== null) {
        expect(line).toContain(`(${share[1]} %)`);
        expect(line).toMatch(new RegExp(`in ${share[2]} chances?`));
      }
    }
    if (head.startsWith("works")) expect(head).toMatch(/went down.*\(\d+ % to \d+ % fewer\)$/);
    if (head.startsWith("harmful")) expect(head).toMatch(/went up.* more/);
    expect(text.includes("  saved")).toBe(head.startsWith("works"));
    expect(text).not.toMatch(/\b1 (mistakes|chances)|NaN|Infinity/);
  });

  it("says which side is missing where nothing can be compared", () => {
    expect(describeVerdict([], null)).toContain(
      "not enough data: no chance of the mistake yet, neither with it nor without it",
    );
    expect(describeVerdict(sessions("before", 12, 6), null)).toBe(
      [
        "not enough data: no chance of the mistake with it yet, 12 chances without it",
        "  before it      6 mistakes in 12 chances (50 %)",
        "  with it        no chance of the mistake, since 2026-01-05",
        "  (chance: a call in which the mistake could be made; mistake: a call that the rule warns against and that did not work, or any such call if the rule is your own)",
      ].join("\n"),
    );
  });
});
