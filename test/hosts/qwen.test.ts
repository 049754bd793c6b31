import { expect, it } from "vitest";
import { hostContract } from "./lab/contract/contract.ts";
import { failing, working } from "./lab/contract/terms.ts";
import { qwen } from "./lab/hosts/qwen.ts";

const unfit = { tool: "edit", input: { file_path: "gone.txt" } };

hostContract(
  {
    title: "Qwen Code",
    host: qwen,
    turns: [{ calls: [failing(qwen), working(qwen)] }, { calls: [unfit] }, { calls: [qwen.shell("shred notes.txt")] }],
    mcp: "mcp__oldhand__report",
    complaint: /hook/i,
    // Headless, it does not report its end.
    end: "not told",
    calls: { worked: { exitCode: 0 }, failed: { ok: false } },
    note: { place: "result" },
    refusal: /oldhand, rule \S+: Never touch the lock\./,
    records: {
      words: (lab) => lab.find(".qwen/projects", ".jsonl").map((file) => [file]),
      failures: 3,
    },
    files: [".qwen/settings.json"],
    project: { file: ".qwen/settings.json", holds: "hook qwen" },
  },
  (contract) => {
    it("stores calls that fired no hook, from the transcript: unfit ones, and those a permission rule forbade", () => {
      const edit = contract.events.find((event) => event.tool === "edit");
      expect(edit).toMatchObject({ outcome: "failed", error: expect.stringContaining("required property") });
      expect(contract.call("shred")).toMatchObject({
        tool: "run_shell_command",
        head: "shred",
        outcome: "denied",
        error: expect.stringContaining("denied by permission rules"),
        signature: null,
        model: "scripted",
      });
    });
  },
);
