import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScriptedCall } from "../../src/testing/scripted-server.ts";
import { type DrivenHost, labOf } from "./lab/driven.ts";
import { claudeCodes } from "./lab/hosts/claude-code.ts";
import { codex } from "./lab/hosts/codex.ts";
import { gemini } from "./lab/hosts/gemini.ts";
import { opencode } from "./lab/hosts/opencode.ts";
import type { Lab } from "./lab/lab.ts";
import { count } from "./lab/lantern.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { wire } from "./lab/wire.ts";

const alone = loopbackOnly();
const FILE = "notes/plan.md";
const FACT = "`notes/plan.md` does not exist (a call failed on this on ";

interface Case {
  readonly title: string;
  readonly host: DrivenHost;
  /** How its model reads the file. */
  read(lab: Lab): ScriptedCall;
}

const allowed = JSON.stringify({ permissions: { allow: ["Bash", "Read"] } });
const driven: readonly Case[] = [
  ...claudeCodes.map((host, at) => ({
    title: `claude-code ${host.client.version}, ${at === 0 ? "plugin" : "a process for each hook"}`,
    host: { ...host, prepare: (lab: Lab) => lab.write(allowed, ".claude", "settings.json") },
    read: (lab: Lab) =>
      at === 0 ? { tool: "Read", input: { file_path: join(lab.project, FILE) } } : host.shell(`cat ${FILE}`),
  })),
  ...[codex, gemini, opencode].map((host) => ({
    title: `${host.name} ${host.client.version}`,
    host,
    read: () => host.shell(`cat ${FILE}`),
  })),
];

// On a machine so busy that a hook's patience runs out, it is silent by design.
describe.each(driven)("$title meets a path that is not there", { retry: 1 }, ({ host, read }) => {
  if (alone === null || host.client.kind === "absent") {
    const why = host.client.kind === "absent" ? host.client.why : "no network namespace here";
    it.skip(`(skipped: ${why})`, () => {});
    return;
  }

  it("the next session is told with the call, once; when the file is there, nothing is said", async () => {
    const lab = labOf(host, alone, "calls");
    try {
      // No session of this test is to be in the control group.
      expect(lab.oldhand("config", "set", "distil.holdOut", "false")).toMatchObject({ status: 0 });
      const session = async (...calls: readonly ScriptedCall[]) => {
        const turns = [...calls.map((call) => ({ calls: [call] })), { text: "Done." }, { text: "Done." }];
        const record = await lab.session({ prompt: "read the plan", turns });
        await host.settle?.(lab);
        return record;
      };
      expect(wire(await session(read(lab)))).not.toContain(FACT);
      expect(lab.json<{ text: string }[]>("facts")).toMatchObject([{ text: expect.stringContaining(FACT) }]);
      const second = await session(read(lab), host.shell("echo on"), read(lab));
      expect(count(wire(second), FACT)).toBe(1);
      mkdirSync(join(lab.project, "notes"), { recursive: true });
      writeFileSync(join(lab.project, FILE), "first things first\n");
      const third = await session(read(lab));
      expect(wire(third)).toContain("first things first");
      expect(wire(third)).not.toContain(FACT);
      expect(lab.json("facts")).toEqual([]);
    } finally {
      await host.settle?.(lab);
      lab.close();
    }
  });
});
