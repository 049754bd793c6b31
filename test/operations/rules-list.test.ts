import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { invoke } from "../../src/invoke.ts";
import { openContext } from "../../src/mind.ts";
import { ruleOperations } from "../../src/operations/rules/rules.ts";
import { addRuleSessions } from "../../src/store/shown/rule-sessions.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { aRule, put } from "../store/samples.ts";

const [list, show, why] = ruleOperations;

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

describe("rules show and rules why", () => {
  it("say whether a rule holds a call or comes as a note, and what that was decided by", async () => {
    const home = mkdtempSync(join(tmpdir(), "oldhand-why-"));
    const mind = await openContext({ home, env: {} });
    const matcher = { tool: "shell", head: "npm test" };
    const met = { host: "h", session: "x", at: 1, opportunities: 12, attempts: 12, failed: 12, worked: 0 };
    const counted = async (id: string, characters: number) => {
      await put(mind.db, ruleNoun, aRule(id, { status: "approved", level: "nudge", matcher }));
      const cost = { failures: 12, characters: 12 * characters, ms: 0, calls: 0 };
      const sessions = [{ ...met, cost }];
      await addRuleSessions(mind.db, { id, matcher }, { from: 0, upTo: 1, recentSince: 0, sessions });
    };
    try {
      await counted("dear", 4_000);
      await counted("cheap", 40);
      await put(mind.db, ruleNoun, aRule("start", { status: "approved", matcher: null }));
      const shown = async (id: string) => (await invoke(mind, show, { id }, "")).atCall;
      expect(await shown("dear")).toMatchObject({
        delivery: "hold",
        reason: "a failed call costs more than a refused one",
      });
      expect(await shown("cheap")).toMatchObject({
        delivery: "note",
        reason: "a failed call costs less than a refused one",
      });
      expect(await shown("start")).toBeUndefined();
      const explained = await invoke(mind, why, { id: "dear" }, "");
      expect(why.render?.(explained)).toContain(
        "holds the first call of a session: a failed call costs more than a refused one",
      );
    } finally {
      await mind.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
