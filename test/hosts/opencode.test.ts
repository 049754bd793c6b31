import { join } from "node:path";
import { expect, it } from "vitest";
import { hostContract } from "./lab/contract/contract.ts";
import { failing, working } from "./lab/contract/terms.ts";
import { opencode } from "./lab/hosts/opencode.ts";
import { listRequests, count, resultsOf } from "./lab/wire.ts";

const { shell } = opencode;
const missing = { tool: "read", input: { filePath: "/nowhere/gone.txt" } };
const unknown = { tool: "no_such_tool", input: { a: 1 } };
const task = { tool: "task", input: { description: "look", prompt: "look around", subagent_type: "general" } };
const lateAdvice = "Nothing is shredded here.";

hostContract(
  {
    title: "opencode",
    host: opencode,
    rules: [[lateAdvice, "--command", "shred notes.txt"]],
    turns: [
      { calls: [failing(opencode), working(opencode)] },
      { calls: [missing] },
      { calls: [unknown] },
      { calls: [shell("shred notes.txt")] },
      { calls: [task] },
      { calls: [shell("echo from below")] },
      { text: "Nothing here." },
    ],
    mcp: "oldhand_report",
    complaint: /plugin/i,
    // Its command line puts a prompt of several words into quotes.
    prompt: '"push my branch"',
    // It reports a failed command as completed.
    calls: { worked: { exitCode: 0, model: "scripted", durationMs: expect.any(Number) } },
    note: { place: "result", others: 1 },
    refusal: /Blocked by a rule: oldhand, rule \S+: Never touch the lock\./,
    asks: "denies",
    records: {
      words: (lab) => [["--from", "opencode", join(lab.home, ".local", "share", "opencode", "opencode.db")]],
      failures: 4,
    },
    plugin: ".config/opencode/plugins/oldhand.js",
    files: [".config/opencode/opencode.json", ".config/opencode/plugins"],
    project: { file: ".opencode/plugins/oldhand.js", holds: '"opencode"' },
  },
  (contract) => {
    it("stores calls for which no hook is called: of a tool that threw, and one that a permission forbade", () => {
      const error = expect.stringContaining("gone.txt");
      expect(contract.call("gone.txt")).toMatchObject({ tool: "read", outcome: "failed", error });
      expect(contract.call("shred")).toMatchObject({
        tool: "bash",
        head: "shred",
        outcome: "denied",
        error: expect.stringMatching(/^The user has specified a rule which prevents you/),
        signature: null,
      });
    });

    it("stores a call of a tool that does not exist as a failure", () => {
      expect(contract.call("no_such_tool")).toMatchObject({ tool: "invalid", outcome: "failed" });
    });

    it("tells a sub-agent's calls from the agent's own", () => {
      const own = contract.call("from below");
      expect(own).toMatchObject({ outcome: "ok", agent: expect.stringMatching(/^ses_/) });
      expect(own?.session).toBe(contract.call("all is well")?.session);
      expect(own?.agent).not.toBe(own?.session);
    });

    it("puts a rule with the error where the call itself had no result", () => {
      const results = resultsOf(listRequests(contract.session).at(-1));
      const [shown, ...others] = results.filter((one) => one.includes(lateAdvice));
      expect(others).toEqual([]);
      expect(shown).toMatch(/prevents you from using this specific tool call.*<oldhand>/s);
      expect(count(JSON.stringify(listRequests(contract.session).at(-1)), lateAdvice)).toBe(1);
    });
  },
);
