import { expect, it } from "vitest";
import { describeHosts, hostTitle } from "./lab/driven.ts";
import { codex } from "./lab/hosts/codex.ts";
import { gemini } from "./lab/hosts/gemini.ts";
import { opencode } from "./lab/hosts/opencode.ts";
import { calls, importMistakes, lanternRule, runsOf, withLantern, WRONG } from "./lab/lantern.ts";
import type { Lab } from "./lab/lab.ts";
import { listRequests, count, read, startBlock, wire } from "./lab/wire.ts";

describeHosts(
  ({ host }) => `${hostTitle(host)} makes a mistake`,
  [codex, gemini, opencode].map((host) => ({ host })),
  ({ host, inLab }) => {
    /** A lab with the rule. unattended.test.ts tests that sessions alone create it. */
    const learned = (failures: number, act: (lab: Lab, rule: { id: string; text: string }) => Promise<void>) =>
      inLab(async (lab) => {
        withLantern(lab.project);
        importMistakes(lab, failures);
        await act(lab, lanternRule(lab));
      });
    const turns = (...commands: readonly string[]) => [
      ...calls(host, ...commands),
      { text: "Done." },
      { text: "Done." },
    ];

    it("a: after the third failure the rule is in the model's first request, after the fourth also with the call; another project hears nothing", () =>
      learned(3, async (lab, { id, text }) => {
        const prompt = "publish the beta with lantern";
        const fourth = await lab.session({ prompt, turns: turns(WRONG, "echo on") });
        expect(startBlock(read(listRequests(fourth)[0]))).toContain(text);
        expect(count(wire(fourth), `(${id})`)).toBe(1);
        await host.settle?.(lab);
        const { text: counted } = lanternRule(lab);
        const fifth = await lab.session({ prompt, turns: turns(WRONG, "echo on") });
        const [first, afterCall] = listRequests(fifth).map(read);
        expect(startBlock(first ?? "")).toContain(counted);
        expect(count(first ?? "", counted)).toBe(1);
        expect(first).not.toContain(`oldhand, rule ${id}`);
        expect(afterCall).toContain(`oldhand, rule ${id}`);
        expect(count(wire(fifth), `(${id})`)).toBe(1);
        expect(count(wire(fifth), `oldhand, rule ${id}`)).toBe(1);
        await host.settle?.(lab);
        const blog = withLantern(lab.repository("blog"), "works");
        const other = await lab.session({ prompt, cwd: blog, turns: turns(WRONG, "echo on") });
        expect(other).toMatchObject({ status: 0 });
        expect(wire(other)).not.toMatch(/rule r_|--track/);
      }));

    it("f: at deny no spelling of the call runs; an override lets one call pass, and the next does not", () =>
      learned(4, async (lab, { id }) => {
        expect(lab.oldhand("rules", "edit", id, "--level", "deny")).toMatchObject({ status: 0 });
        const before = runsOf(lab.project).length;
        const spellings = [
          WRONG,
          "cd . && ./tools/lantern publish --channel=beta",
          "./tools/lantern --channel beta publish",
        ];
        await lab.session({ prompt: "publish", turns: turns(...spellings, `echo ${WRONG}`) });
        expect(runsOf(lab.project).slice(before)).toEqual([]);
        await host.settle?.(lab);
        expect(lab.oldhand("override", id)).toMatchObject({ status: 0 });
        await lab.session({ prompt: "publish", turns: turns(WRONG, WRONG) });
        expect(runsOf(lab.project).slice(before)).toEqual(["publish --channel beta"]);
      }));
  },
);
