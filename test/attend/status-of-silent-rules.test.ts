import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

describe.each(stores)("a rule that agents are no longer shown, on $name", (kind) => {
  it("is not called shown by status, from the call that disproves it on", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          ["bin/rel push --env x", "rel: error: no such option: --env"],
          ["bin/rel push --environment x"],
        ]);
      await workspace.mine();
      expect(await workspace.print("status", {})).toContain("learned in the last 14 days: 1 rule: Use `bin/rel push");
      await workspace.session([["bin/rel push --env x"]]);
      await workspace.endTurn();
      expect(await workspace.before("bin/rel push --env x")).toBe("");
      const silent = await workspace.print("status", {});
      expect(silent).toContain("learned in the last 14 days: 1 rule, not shown to agents now: Use `bin/rel push");
      expect(silent).toContain(" 1 waits for review: oldhand review\n");
      await workspace.mine();
      expect(await workspace.print("status", {})).toContain("1 rule, not shown to agents now: Use `bin/rel push");
    }));
});
