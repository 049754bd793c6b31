import { expect, it } from "vitest";
import { hostContract } from "./lab/contract/contract.ts";
import { failing, working } from "./lab/contract/terms.ts";
import { droid } from "./lab/hosts/droid.ts";

/** Another product's file with a user's formatting: uninstalling must restore every space. */
const others = `{ "PreToolUse": [
    {"matcher": "Execute", "hooks": [{ "type": "command",  "timeout": 5,
      "command": "grep -q 'rm -rf' && echo '{\\"hookSpecificOutput\\":{\\"hookEventName\\":\\"PreToolUse\\",\\"permissionDecision\\":\\"deny\\",\\"permissionDecisionReason\\":\\"not here\\"}}' || true"}]}
] }`;

const { shell } = droid;
const twin = shell("echo twin");
const unfit = { tool: "Edit", input: { file_path: "gone.txt" } };

hostContract(
  {
    title: "Factory droid",
    host: {
      ...droid,
      prepare: (lab) => {
        droid.prepare(lab);
        lab.write(others, ".factory", "hooks.json");
      },
    },
    turns: [
      { calls: [twin, twin] },
      { calls: [failing(droid), working(droid)] },
      { calls: [unfit] },
      { calls: [shell("rm -rf dist")] },
    ],
    mcp: { skip: "its first request goes out before the servers have told of their tools, see below" },
    complaint: /hook/i,
    calls: {
      worked: { exitCode: 0 },
      // From the transcript: no hook reports it.
      failed: {
        ok: false,
        error: expect.stringMatching(/^git: 'psuh' is not a git command\.[^[]*$/),
        model: expect.stringMatching(/./),
      },
    },
    // With the next call's result.
    note: { place: "request", request: 3 },
    refusal: /oldhand, rule \S+: Never touch the lock\./,
    records: {
      words: (lab) => lab.find(".factory/sessions", ".jsonl").map((file) => [file]),
      failures: 3,
    },
    files: [".factory/hooks.json"],
    project: { file: ".factory/hooks.json", holds: "hook droid" },
  },
  (contract) => {
    it("has oldhand among its MCP servers: its model can use their tools", () =>
      contract.inLab(
        async (lab) => {
          const fact = "the lamp is in the hall";
          const noted = droid.tool("remember", { text: fact }) ?? working(droid);
          // The first request is sent before the MCP servers have listed their tools.
          const turns = [{ calls: [shell("sleep 2")] }, { calls: [noted] }, { text: "Noted." }];
          expect(await lab.session({ prompt: "remember it", turns })).toMatchObject({ status: 0, remaining: 0 });
          expect(lab.oldhand("memories").out).toContain(fact);
        },
        { says: "calls" },
      ));

    it("stores an unfit call, and one that another's hook forbade", () => {
      const error = expect.stringContaining("old_str is required");
      const edit = contract.events.find((event) => event.tool === "Edit");
      expect(edit).toMatchObject({ ok: false, outcome: "failed", error });
      expect(contract.call("rm -rf")).toMatchObject({
        outcome: "denied",
        error: expect.stringContaining("not here"),
        signature: null,
      });
    });
  },
);
