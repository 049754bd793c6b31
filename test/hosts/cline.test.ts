import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hostContract } from "./lab/contract/contract.ts";
import { cline } from "./lab/hosts/cline.ts";
import type { Lab } from "./lab/lab.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { listRequests } from "./lab/wire.ts";

const shell = (...commands: readonly string[]) => ({ tool: "run_commands", input: { commands } });
const twin = shell("echo twin");
const unfit = { tool: "editor", input: { path: "gone.txt" } };
const unknown = { tool: "no_such_tool", input: { a: 1 } };

/** Another product's file, which must not change. */
const others = "#!/bin/bash\nexit 0\n";

hostContract(
  {
    title: "Cline CLI",
    host: { ...cline, prepare: (lab) => lab.write(others, ".cline", "hooks", "PreToolUse") },
    turns: [
      { calls: [shell("echo one", "cat nope.txt")] },
      { calls: [twin, twin] },
      { calls: [unfit] },
      { calls: [unknown] },
    ],
    mcp: "oldhand__report",
    complaint: /hook/i,
    leavesNoProcess: { skip: "it leaves a process of its own for the sessions to come" },
    end: "perhaps told",
    calls: { worked: { durationMs: expect.any(Number) }, failed: { ok: false } },
    note: { place: "request" },
    refusal: { skip: "it could only end the whole run, see below" },
    records: { words: records, failures: 4 },
    startAt: 1,
    files: [".cline/hooks"],
    project: { file: ".cline/hooks/PreToolUse.bash", holds: "hook cline" },
  },
  (contract) => {
    it("stores a command that failed as one of two", () => {
      const error = "cat: nope.txt: No such file or directory";
      expect(contract.call("nope.txt")).toMatchObject({ outcome: "failed", exitCode: 1, error });
    });

    it("stores an unfit call, and from the transcript one of a tool that there is not, which fired no hook", () => {
      const of = (tool: string) => contract.events.find((event) => event.tool === tool);
      const invalid = expect.stringContaining("Invalid input");
      expect(of("editor")).toMatchObject({ ok: false, outcome: "failed", error: invalid });
      const unavailable = expect.stringContaining("unavailable tool");
      expect(of("no_such_tool")).toMatchObject({ outcome: "failed", error: unavailable });
    });

    it("is not stopped by a rule that denies: the only way to would end the whole run", async () => {
      const { lab, session, call } = contract;
      expect(JSON.stringify(listRequests(session).at(-1))).toContain("Never touch the lock.");
      expect(existsSync(join(lab.project, "lock"))).toBe(true);
      expect(call("touch lock")).toMatchObject({ outcome: "ok" });
    });

    it("stores a call that was denied for want of an answer, and its record adds nothing", async () => {
      const { lab } = contract;
      const turns = [{ calls: [shell("touch denied.txt")] }, { text: "Not done." }];
      await lab.session({ turns, flags: ["--auto-approve", "false"] });
      await cline.settle?.(lab);
      expect(existsSync(join(lab.project, "denied.txt"))).toBe(false);
      const events = await storedEvents(lab);
      expect(events.find((event) => JSON.stringify(event.input)?.includes("denied.txt"))).toMatchObject({
        ok: false,
        outcome: "denied",
        error: expect.stringContaining("requires approval"),
        signature: null,
      });
      expect(records(lab)).toHaveLength(2);
      for (const words of records(lab)) expect(lab.json("import", ...words)).toMatchObject({ events: 0 });
      const elsewhere = join(lab.folder, "yet elsewhere");
      const counts = records(lab).map(
        (words) => lab.json<{ events: number }>("import", ...words, "--home", elsewhere).events,
      );
      expect(counts.toSorted((a, b) => b - a)).toEqual([9, 2]);
    });
  },
);

function records(lab: Lab): readonly (readonly string[])[] {
  return lab.find(".cline/data/sessions", ".messages.json").map((file) => [file, "--from", "cline"]);
}
