import { describe, expect, it } from "vitest";
import { isFromUserWords } from "./backing.ts";
import {
  scopeCovers,
  compareHardestFirst,
  isMuted,
  levels,
  ruleStatuses,
  type Scope,
  listCoveringScopes,
  isSpeaking,
} from "./rule.ts";

describe("the scopes over a workspace", () => {
  const folders = [
    ...["/", "/w", "/w/web", "/w/web/src", "/w/webbing", "/other"],
    ...["C:\\w", "C:\\w\\web", "C:\\w\\web\\src", "C:\\webbing"],
  ];
  const scopes: readonly Scope[] = [
    { kind: "global" },
    ...folders.map((workspace) => ({ kind: "workspace", workspace }) as const),
  ];

  it.each([null, ...folders])("are those that cover it: %s", (workspace) => {
    const over = listCoveringScopes(workspace);
    for (const scope of scopes)
      expect([scope, over.some((one) => (one.kind === "global" ? scope.kind === one.kind : same(one, scope)))]).toEqual(
        [scope, scopeCovers(scope, workspace)],
      );
  });

  it("are those of the folders it is in, also on Windows", () => {
    expect(scopeCovers({ kind: "workspace", workspace: "C:\\w" }, "C:\\w\\web")).toBe(true);
    expect(scopeCovers({ kind: "workspace", workspace: "C:\\w" }, "C:\\webbing")).toBe(false);
  });
});

describe("a rule", () => {
  it("speaks while it stands and does more than watch, and is muted by its status, or where it was approved and only watches", () => {
    const all = ruleStatuses.flatMap((status) => levels.map((level) => ({ status, level })));
    const said = all.filter(isSpeaking).map(({ status, level }) => `${status} ${level}`);
    const loud = ["advise", "nudge", "ask", "deny"];
    expect(said).toEqual([...loud.map((level) => `candidate ${level}`), ...loud.map((level) => `approved ${level}`)]);
    expect(all.filter(isMuted)).toEqual([
      { status: "approved", level: "watch" },
      ...levels.map((level) => ({ status: "muted", level })),
    ]);
  });

  it("comes before another by its level, then by its salience, then by its name", () => {
    const rules = [
      { id: "d", level: "ask", salience: 0.5 },
      { id: "b", level: "nudge", salience: 0.9 },
      { id: "c", level: "ask", salience: 0.5 },
      { id: "a", level: "ask", salience: 0.8 },
      { id: "e", level: "deny", salience: 0.1 },
    ] as const;
    for (const order of [rules, rules.toReversed()])
      expect(order.toSorted(compareHardestFirst).map(({ id }) => id)).toEqual(["e", "a", "c", "d", "b"]);
  });
});

function same(one: Scope, other: Scope): boolean {
  return one.kind === "workspace" && other.kind === "workspace" && one.workspace === other.workspace;
}

describe("somebody's word", () => {
  it("is what a rule rests on that was made of what a user said or an agent rewrote", () => {
    expect(isFromUserWords({ signature: 'correction ["use","pnpm"]' })).toBe(true);
    expect(isFromUserWords({ signature: "edit a → b" })).toBe(true);
    expect(isFromUserWords({ signature: "edit of a file not read" })).toBe(false);
    expect(isFromUserWords({ signature: null })).toBe(false);
  });
});
