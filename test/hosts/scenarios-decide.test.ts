import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { describeHost } from "./lab/driven.ts";
import { calls, claude, lanternRule, onboard, publish, runsOf, withLantern, WRONG } from "./lab/lantern.ts";
import type { Lab } from "./lab/lab.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { listRequests, count, read, wire } from "./lab/wire.ts";

const CHANNEL = "publish --channel beta";

describeHost(`f: a rule decides about a call of Claude Code ${claude.client.version}`, claude, (driver) => {
  const inLab = (act: (lab: Lab) => Promise<void>) => driver.inLab(act, { says: "calls" });
  /** A mined rule at the level its owner chose. */
  const decided = (level: "ask" | "deny", act: (lab: Lab, rule: { id: string; text: string }) => Promise<void>) =>
    inLab(async (lab) => {
      withLantern(lab.project);
      await publish(lab, claude, { times: 4, cwd: lab.project });
      const { id, text } = lanternRule(lab);
      expect(lab.oldhand("rules", "edit", id, "--level", level)).toMatchObject({ status: 0 });
      spawnSync("rm", ["ran"], { cwd: lab.project });
      await act(lab, { id, text });
    });
  const outcomes = async (lab: Lab, session: string) =>
    (await storedEvents(lab))
      .filter((one) => one.kind === "call" && one.session === session)
      .toSorted((a, b) => a.at - b.at)
      .map((one) => one.outcome);
  const SESSION = "dec1de00-0000-4000-8000-00000000cafe";
  const flags = ["--session-id", SESSION];

  it("deny: no spelling of the call runs, what only mentions it is left alone, and the model reads the reason once", () =>
    decided("deny", async (lab, { id, text }) => {
      const spellings = [
        WRONG,
        "cd . && ./tools/lantern publish --channel=beta",
        "X=1 bash -c './tools/lantern publish --channel beta'",
        "./tools/lantern --channel beta publish",
      ];
      const mentions = [`echo ${WRONG}`, `git log --grep='lantern publish --channel'`];
      const turns = [...calls(claude, ...spellings, ...mentions), { text: "No." }];
      const session = await lab.session({ prompt: "publish", turns, flags });
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      expect(runsOf(lab.project)).toEqual([]);
      expect((await outcomes(lab, SESSION)).map((one) => one === "denied")).toEqual([
        true,
        true,
        true,
        true,
        false,
        false,
      ]);
      expect(read(listRequests(session)[0])).not.toContain(text);
      expect(count(read(listRequests(session)[1]), text)).toBe(1);
      expect(count(wire(session), `oldhand, rule ${id}`)).toBe(spellings.length);
    }));

  it("override: the call runs once, and not a second time", () =>
    decided("deny", async (lab, { id }) => {
      expect(lab.oldhand("override", id)).toMatchObject({ status: 0 });
      await lab.session({ prompt: "publish", turns: [...calls(claude, WRONG, WRONG), { text: "No." }], flags });
      expect(runsOf(lab.project)).toEqual([CHANNEL]);
      expect(await outcomes(lab, SESSION)).toEqual(["failed", "denied"]);
    }));

  it("ask: without a person the call does not run, and the model reads why", () =>
    decided("ask", async (lab, { text }) => {
      const session = await lab.session({
        prompt: "publish",
        turns: [...calls(claude, WRONG), { text: "No." }],
        flags,
      });
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      expect(runsOf(lab.project)).toEqual([]);
      expect(read(listRequests(session)[1])).toContain(text);
      expect(await outcomes(lab, SESSION)).toEqual(["denied"]);
    }));

  it.runIf(spawnSync("script", ["--version"]).status === 0)(
    "ask: the person reads the rule, and what they answer holds",
    () =>
      decided("ask", async (lab) => {
        onboard(lab);
        const reply = (key: string) =>
          lab.session({
            turns: [...calls(claude, WRONG), { text: "Done." }, { text: "Done." }],
            keys: [
              { text: "publish it", awaits: "shift+tab", afterMs: 1_000 },
              { text: "\r", afterMs: 500 },
              { text: key, awaits: "--track", afterMs: 1_000 },
              { text: "/exit", afterMs: 2_500 },
              { text: "\r", afterMs: 500 },
            ],
          });
        await reply("\u001b");
        expect(runsOf(lab.project)).toEqual([]);
        await reply("1");
        expect(runsOf(lab.project)).toEqual([CHANNEL]);
      }),
  );

  it("a rule by hand denies the command with other arguments and in its short spelling, and no other command", () =>
    inLab(async (lab) => {
      lab.oldhand("learn", "Never force a push.", "--command", "git push --force", "--level", "deny");
      const forced = ["git push --force origin main", "git push -f", "git -C . push origin main --force"];
      const others = ["git push origin main", "git push --force-with-lease", "git log --grep='git push --force'"];
      const turns = [...calls(claude, ...forced, ...others), { text: "No." }];
      const session = await lab.session({ prompt: "push", turns, flags });
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      expect((await outcomes(lab, SESSION)).map((one) => one === "denied")).toEqual([
        true,
        true,
        true,
        false,
        false,
        false,
      ]);
      expect(count(read(listRequests(session)[1]), "Never force a push.")).toBe(1);
    }));
});
