import { describe, expect, it } from "vitest";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { aRule, put } from "../store/samples.ts";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const command = "cat docs/giude.md";
const error = "Exit code 1\ncat: docs/giude.md: No such file or directory";

/** What the model reads with one failing call: the note before it, which hosts give with its result, and the rest. */
async function failAt(shop: ObservedWorkspace, session: string, id: string): Promise<readonly [string, string]> {
  const call = { tool_name: "Bash", tool_input: { command }, tool_use_id: id };
  return [
    await shop.sendHook({ hook_event_name: "PreToolUse", ...call }, session),
    await shop.sendHook({ hook_event_name: "PostToolUseFailure", error, ...call }, session),
  ];
}

describe.each(stores)("a rule that came with the call, on $name", (kind) => {
  it("replaces the answer to its failure; a later failure gets the answer", () =>
    inWorkspace(kind, async (shop) => {
      shop.write("docs/guide.md");
      const matcher = { tool: "shell", head: "cat" };
      const rule = { status: "approved", level: "nudge", matcher, origin: "owner", text: "Use less." } as const;
      await put(shop.mind.db, ruleNoun, aRule("r_1", rule));
      const [note, rest] = await failAt(shop, "s1", "call-1");
      expect(note).toContain("Use less.");
      expect(rest).toBe("");
      expect((await failAt(shop, "s1", "call-2")).join("")).toContain("| docs/guide.md\n");
    }));

  it("replaces the answer in opencode, which reports both with the result", () =>
    inWorkspace(kind, async (shop) => {
      shop.write("docs/guide.md");
      const matcher = { tool: "shell", head: "cat" };
      const rule = { status: "approved", level: "nudge", matcher, origin: "owner", text: "Use less." } as const;
      await put(shop.mind.db, ruleNoun, aRule("r_1", rule));
      const result = { output: "cat: docs/giude.md: No such file or directory", exit: 1 };
      const said = await shop.turnOfOpencode("read the guide", command, result);
      expect(said).toContain("Use less.");
      expect(said).not.toContain("guide.md\n");
    }));

  it("leaves the answer where the rule only warns", () =>
    inWorkspace(kind, async (shop) => {
      shop.write("docs/guide.md");
      const matcher = { tool: "shell", head: "cat" };
      const text = "Do not run `cat` here: it failed (failed 4 of 4).";
      const rule = { status: "approved", level: "nudge", matcher, origin: "tool", text } as const;
      await put(shop.mind.db, ruleNoun, aRule("r_1", rule));
      const [note, rest] = await failAt(shop, "s1", "call-1");
      expect(note).toContain("Do not run");
      expect(rest).toContain("docs/guide.md");
    }));
});
