import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ScriptedCall } from "../../src/testing/scripted-server.ts";
import { describeHosts, type DrivenHost, hostTitle } from "./lab/driven.ts";
import { claudeCodes } from "./lab/hosts/claude-code.ts";
import { codex } from "./lab/hosts/codex.ts";
import { gemini } from "./lab/hosts/gemini.ts";
import { opencode } from "./lab/hosts/opencode.ts";
import type { Lab } from "./lab/lab.ts";

import { count, wire } from "./lab/wire.ts";

const FILE = "notes/plan.md";
const FACT = "`notes/plan.md` does not exist (a call failed on this on ";

interface Case {
  readonly title: string;
  readonly host: DrivenHost;
  /** The call with which its model reads the file. */
  read(lab: Lab): ScriptedCall;
  /** False if the host takes a note only with the result, whose error says as much. */
  readonly isToldBefore: boolean;
}

const allowed = JSON.stringify({ permissions: { allow: ["Bash", "Read"] } });
const driven: readonly Case[] = [
  ...claudeCodes.map((host, at) => ({
    title: `${hostTitle(host)}, ${at === 0 ? "plugin" : "a process for each hook"}`,
    host: { ...host, prepare: (lab: Lab) => lab.write(allowed, ".claude", "settings.json") },
    isToldBefore: at === 0,
    read: (lab: Lab) =>
      at === 0 ? { tool: "Read", input: { file_path: join(lab.project, FILE) } } : host.shell(`cat ${FILE}`),
  })),
  ...[codex, gemini, opencode].map((host) => ({
    title: hostTitle(host),
    host,
    isToldBefore: host === codex,
    read: () => host.shell(`cat ${FILE}`),
  })),
];

describeHosts(
  ({ title }) => `${title} meets a path that is not there`,
  driven,
  ({ host, inLab, read, isToldBefore }) => {
    it(`the next session is told ${isToldBefore ? "with the call, once" : "by the error alone"}; when the file is there, nothing is said`, () =>
      inLab(
        async (lab) => {
          // No session of this test may be in the control group.
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
          expect(count(wire(second), FACT)).toBe(isToldBefore ? 1 : 0);
          mkdirSync(join(lab.project, "notes"), { recursive: true });
          writeFileSync(join(lab.project, FILE), "first things first\n");
          const third = await session(read(lab));
          expect(wire(third)).toContain("first things first");
          expect(wire(third)).not.toContain(FACT);
          expect(lab.json("facts")).toEqual([]);
        },
        { says: "calls" },
      ));
  },
);
