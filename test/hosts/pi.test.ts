import { expect, it } from "vitest";
import { hostContract } from "./lab/contract/contract.ts";
import { failing, working } from "./lab/contract/terms.ts";
import { pi } from "./lab/hosts/pi.ts";
import { listRequests, count, resultsOf } from "./lab/wire.ts";

const missing = { tool: "read", input: { path: "gone.txt" } };
const unfit = { tool: "edit", input: { path: "notes.txt" } };
const unknown = { tool: "no_such_tool", input: { a: 1 } };
const lateAdvice = "Nothing is shredded here.";

/** pi has no permissions; users who want them install an extension. */
const guard = `export default (pi) => {
  pi.on("tool_call", async ({ input }) =>
    input.command?.includes("shred") ? { block: true, reason: "Blocked by policy: no shredding" } : undefined);
};
`;

hostContract(
  {
    title: "pi",
    host: {
      ...pi,
      prepare: (lab) => {
        pi.prepare(lab);
        lab.write(guard, ".pi", "agent", "extensions", "guard.ts");
      },
    },
    rules: [[lateAdvice, "--command", "shred notes.txt"]],
    turns: [
      { calls: [failing(pi), working(pi)] },
      { calls: [missing, unfit] },
      { calls: [unknown] },
      { calls: [pi.shell("shred notes.txt")] },
      { calls: [working(pi)] },
    ],
    mcp: { skip: "pi has none" },
    stdout: /^I give up\.\n$/,
    complaint: /[^]/,
    calls: { worked: { model: "scripted", durationMs: expect.any(Number) }, failed: { ok: false } },
    note: { place: "result", others: 1 },
    refusal: /Blocked by a rule: oldhand, rule \S+: Never touch the lock\./,
    asks: "denies",
    records: {
      words: (lab) => lab.find(".pi/agent/sessions", ".jsonl").map((file) => [file]),
      failures: 5,
    },
    plugin: ".pi/agent/extensions/oldhand.ts",
    files: [".pi/agent/extensions"],
    project: { file: ".pi/extensions/oldhand.ts", holds: '"pi"', says: "only if the project is trusted" },
  },
  (contract) => {
    it("stores calls that have no result of their own: unfit, unknown, and blocked ones", () => {
      const of = (tool: string) => contract.events.find((event) => event.tool === tool);
      const error = expect.stringContaining("ENOENT");
      expect(contract.call("gone.txt")).toMatchObject({ tool: "read", outcome: "failed", error });
      expect(of("edit")).toMatchObject({ outcome: "failed", input: unfit.input });
      expect(of("no_such_tool")).toMatchObject({ outcome: "failed" });
      expect(contract.call("shred")).toMatchObject({
        tool: "bash",
        head: "shred",
        outcome: "denied",
        error: "Blocked by policy: no shredding",
        signature: null,
      });
    });

    it("puts a rule with the next result where the call itself had none", () => {
      // After the blocked call comes one that works, then the two that rules deny.
      expect(resultsOf(listRequests(contract.session).at(-1)).at(-3)).toContain(lateAdvice);
      expect(count(JSON.stringify(listRequests(contract.session).at(-1)), lateAdvice)).toBe(1);
    });
  },
);
