import { expect, it } from "vitest";
import { hostContract } from "./lab/contract/contract.ts";
import { failing, working } from "./lab/contract/terms.ts";
import { openclaw } from "./lab/hosts/openclaw.ts";

const missing = { tool: "read", input: { path: "gone.txt" } };
const unknown = { tool: "no_such_tool", input: { a: 1 } };

hostContract(
  {
    title: "OpenClaw",
    host: openclaw,
    turns: [{ calls: [failing(openclaw), working(openclaw)] }, { calls: [missing] }, { calls: [unknown] }],
    mcp: { skip: "a tool of its own finds the tools of MCP servers" },
    stdout: /I give up\.\n/,
    // It prints that it cannot verify every plugin that is not from its registry.
    complaint: /oldhand: (?!OpenClaw can't verify)|oldhand (?:failed|error)/i,
    // One turn in a separate process ends no session.
    end: "not told",
    calls: { worked: { model: "scripted", durationMs: expect.any(Number) } },
    note: { place: "result" },
    refusal: /Blocked by a rule: oldhand, rule \S+: Never touch the lock\./,
    asks: "denies",
    records: { skip: "its records are not read" },
    plugin: ".openclaw/extensions/oldhand/index.js",
    files: [".openclaw/openclaw.json", ".openclaw/extensions"],
    project: { skip: "a repository has no plugin of its own" },
  },
  (contract) => {
    it("stores calls that have no result of their own", () => {
      const error = expect.stringContaining("File not found");
      expect(contract.call("gone.txt")).toMatchObject({ outcome: "failed", error });
      const none = contract.events.find((event) => event.tool === "no_such_tool");
      expect(none).toMatchObject({ outcome: "failed" });
    });
  },
);
