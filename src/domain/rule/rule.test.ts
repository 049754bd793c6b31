import { describe, expect, it } from "vitest";
import { isSomebodysWord } from "./backing.ts";
import { covers, type Scope, scopesOver } from "./rule.ts";

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
    const over = scopesOver(workspace);
    for (const scope of scopes)
      expect([scope, over.some((one) => (one.kind === "global" ? scope.kind === one.kind : same(one, scope)))]).toEqual(
        [scope, covers(scope, workspace)],
      );
  });

  it("are those of the folders it is in, also on Windows", () => {
    expect(covers({ kind: "workspace", workspace: "C:\\w" }, "C:\\w\\web")).toBe(true);
    expect(covers({ kind: "workspace", workspace: "C:\\w" }, "C:\\webbing")).toBe(false);
  });
});

function same(one: Scope, other: Scope): boolean {
  return one.kind === "workspace" && other.kind === "workspace" && one.workspace === other.workspace;
}

describe("somebody's word", () => {
  it("is what a rule rests on that was made of what a user said or an agent rewrote", () => {
    expect(isSomebodysWord({ signature: 'correction ["use","pnpm"]' })).toBe(true);
    expect(isSomebodysWord({ signature: "edit a → b" })).toBe(true);
    expect(isSomebodysWord({ signature: "edit of a file not read" })).toBe(false);
    expect(isSomebodysWord({ signature: null })).toBe(false);
  });
});
