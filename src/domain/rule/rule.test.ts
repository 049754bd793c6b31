import { describe, expect, it } from "vitest";
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
