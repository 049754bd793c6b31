import { expect, it } from "vitest";
import { hostContract } from "./lab/contract/contract.ts";
import { failing, working } from "./lab/contract/terms.ts";
import { gemini } from "./lab/hosts/gemini.ts";

const policy = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "shred"
decision = "deny"
priority = 999
`;

const { shell } = gemini;
const missing = { tool: "read_file", input: { file_path: "gone.txt" } };
const unfit = { tool: "replace", input: { file_path: "gone.txt" } };

hostContract(
  {
    title: "Gemini CLI",
    host: {
      ...gemini,
      prepare: (lab) => {
        gemini.prepare(lab);
        lab.write(policy, ".gemini", "policies", "ours.toml");
      },
    },
    turns: [
      { calls: [failing(gemini)] },
      { calls: [missing, working(gemini)] },
      { calls: [unfit] },
      { calls: [shell("shred notes.txt")] },
    ],
    mcp: "mcp_oldhand_report",
    complaint: /hook/i,
    calls: { uid: /./, worked: { text: expect.stringContaining("Output: all is well") } },
    note: { place: "result", around: (text) => `<hook_context>${text}</hook_context>` },
    refusal: /oldhand, rule \S+: Never touch the lock\./,
    records: {
      words: (lab) => lab.find(".gemini/tmp", ".jsonl").map((file) => [file]),
      failures: 4,
    },
    files: [".gemini/settings.json"],
    project: { file: ".gemini/settings.json", holds: "hook gemini" },
  },
  (contract) => {
    it("stores a tool's error", () => {
      const error = expect.stringContaining("gone.txt");
      expect(contract.call('"gone.txt"}')).toMatchObject({ outcome: "failed", error });
    });

    it("stores calls that fired no hook, from the transcript: unfit ones, and those a policy forbade", () => {
      const replace = contract.events.find((event) => event.tool === "replace");
      expect(replace).toMatchObject({ outcome: "failed", error: expect.stringContaining("required property") });
      expect(contract.call("shred")).toMatchObject({
        tool: "run_shell_command",
        head: "shred",
        outcome: "denied",
        error: expect.stringContaining("denied by policy"),
        signature: null,
        model: "gemini-2.5-flash",
      });
    });
  },
);
