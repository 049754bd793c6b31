import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { invoke } from "../../src/invoke.ts";
import { openContext } from "../../src/mind.ts";
import { ruleOperations } from "../../src/operations/rules.ts";
import { ruleNoun } from "../../src/store/rules.ts";
import { aRule, put } from "../store/samples.ts";

const [list] = ruleOperations;

describe("rules list", () => {
  it("shows with --workspace what holds in a folder: its own rules, those of folders over it, and the global ones", async () => {
    const home = mkdtempSync(join(tmpdir(), "oldhand-list-"));
    const folder = join(home, "shop", "web");
    const mind = await openContext({ home, env: {} });
    try {
      const scopes = { r1: join(home, "shop"), r2: folder, r3: join(folder, "src"), r4: join(home, "other") };
      for (const [id, workspace] of Object.entries(scopes))
        await put(mind.db, ruleNoun, aRule(id, { scope: { kind: "workspace", workspace } }));
      await put(mind.db, ruleNoun, aRule("r5"));
      const shown = await invoke(mind, list, { workspace: folder }, "");
      expect(shown.map((rule) => rule.id)).toEqual(["r1", "r2", "r5"]);
    } finally {
      await mind.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
