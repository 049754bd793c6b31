import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { describeHost } from "./lab/driven.ts";
import { calls, claude, type LabRule, onboard } from "./lab/lantern.ts";
import type { Lab } from "./lab/lab.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { listRequests, count, read, startBlock, wire } from "./lab/wire.ts";

describeHost(`d: a user of Claude Code ${claude.client.version} corrects it`, claude, ({ inLab }) => {
  it("with the next prompt: the rule is about what was corrected, not about the call before it, and speaks once approved", () =>
    inLab(async (lab) => {
      for (const [n, words] of ["No, use ripgrep, not grep", "I said use ripgrep, not grep!"].entries()) {
        const session = `c0ffee00-0000-4000-8000-00000000000${n}`;
        const turns = [...calls(claude, "grep -c lamp notes.txt", "echo found"), { text: "Two." }];
        await lab.session({ prompt: "find the lamps", turns, flags: ["--session-id", session] });
        await lab.session({ prompt: words, turns: [{ text: "Understood." }], flags: ["--resume", session] });
      }
      const rule = theRule(lab, "grep");
      expect(rule).toMatchObject({ level: "watch", status: "candidate", matcher: { head: "grep" } });
      expect(rule.text).toMatch(/use ripgrep, not grep/i);
      await speaksOnceApproved(lab, rule, "grep -c lamp notes.txt");
    }));

  it.runIf(spawnSync("script", ["--version"]).status === 0)(
    "while it works: the message is heard, and makes the same kind of rule",
    () =>
      inLab(async (lab) => {
        onboard(lab);
        for (const words of ["No, use git switch, not git checkout", "Again: use git switch, not git checkout"])
          await lab.session({
            turns: [...calls(claude, "git checkout -q -B topic", "sleep 8"), { text: "Understood." }, { text: "Yes." }],
            flags: ["--permission-mode", "manual"],
            keys: [
              { text: "start a topic", awaits: "manual mode on", afterMs: 1_000 },
              { text: "\r", afterMs: 500 },
              { text: words, afterRequests: 2, afterMs: 2_500 },
              { text: "\r", afterMs: 500 },
              { text: "/exit", afterRequests: 3, afterMs: 2_500 },
              { text: "\r", afterMs: 500 },
            ],
          });
        const typed = (await storedEvents(lab)).filter((one) => one.kind === "prompt").map((one) => one.text);
        expect(typed.filter((one) => one?.includes("git switch"))).toHaveLength(2);
        const rule = theRule(lab, "git checkout");
        expect(rule).toMatchObject({ level: "watch", status: "candidate", matcher: { head: "git checkout" } });
        await speaksOnceApproved(lab, rule, "git checkout -q topic");
      }),
  );
});

/** Expects the rule to be shown only after approval: at session start and with its call, not with another. */
async function speaksOnceApproved(lab: Lab, rule: LabRule, command: string): Promise<void> {
  const work = () =>
    lab.session({
      prompt: "have a look",
      turns: [...calls(claude, "echo found", "sleep 0.1", command), { text: "Done." }, { text: "Done." }],
    });
  expect(startBlock(read(listRequests(await work())[0]))).not.toContain(rule.id);
  expect(lab.oldhand("rules", "approve", rule.id)).toMatchObject({ status: 0 });
  expect(lab.oldhand("rules", "edit", rule.id, "--level", "nudge")).toMatchObject({ status: 0 });
  const session = await work();
  const requests = listRequests(session).map(read);
  expect(startBlock(requests[0] ?? "")).toContain(rule.id);
  expect(requests[2]).not.toContain(`oldhand, rule ${rule.id}`);
  expect(count(wire(session), `oldhand, rule ${rule.id}`)).toBe(1);
}

function theRule(lab: Lab, word: string): LabRule {
  lab.json("distil", "--write");
  const rules = lab.json<readonly LabRule[]>("rules").filter((one) => one.text.includes(word));
  expect(rules.map((one) => one.text)).toHaveLength(1);
  return rules[0] as LabRule;
}
