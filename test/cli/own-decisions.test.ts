import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, sample } from "../program.ts";

let place: Place;
beforeEach(async () => {
  place = newPlace();
  await place.run(["import", sample]);
});
afterEach(() => place.remove());

interface ListedRule {
  readonly id: string;
  readonly text: string;
}

async function findRuleId(part: string): Promise<string> {
  const found = (await place.json<ListedRule[]>(["rules"])).find(({ text }) => text.includes(part));
  expect(found, part).toBeDefined();
  return found?.id ?? "";
}

const say = async (...words: string[]) => (await place.run(words)).stdout;

describe("what the owner decided", () => {
  it("is not told again as learned: a rule that was rejected or muted is left out of status", async () => {
    await say("rules", "reject", await findRuleId("git pull"));
    await say("rules", "mute", await findRuleId("Docker"));
    const status = await say("status");
    expect(status).toContain("2 rules, agents hear 1 of them now: Read a file");
    expect(status).not.toMatch(/git pull|Docker/);
  });

  it("is listed with the level that the rule had before", async () => {
    const [rejected, muted] = [await findRuleId("git pull"), await findRuleId("Docker")];
    const levelOf = async (id: string) =>
      (await place.json<{ id: string; level: string }[]>(["rules"])).find((one) => one.id === id)?.level;
    const [before, other] = [await levelOf(rejected), await levelOf(muted)];
    expect([before, other]).not.toContain("watch");
    expect(await say("rules", "reject", rejected)).toContain(`${rejected}  rejected  ${before} `);
    expect(await say("rules", "mute", muted)).toContain(`${muted}  muted     ${other} `);
    const listed = await say("rules");
    expect(listed).toContain(`${rejected}  rejected  ${before} `);
    expect(listed).toContain(`${muted}  muted     ${other} `);
    expect(await say("rules", "why", muted)).toContain(`${muted}  muted     ${other} `);
  });

  it("is the reason that why gives for a silent rule, with the change that undo takes", async () => {
    const [rejected, muted] = [await findRuleId("git pull"), await findRuleId("Docker")];
    const change = /undo (\d+)/.exec(await say("rules", "reject", rejected))?.[1];
    await say("rules", "mute", muted);
    expect(await say("rules", "why", rejected)).toContain(
      `agents are not shown it now: you rejected it (change ${change})`,
    );
    expect(await say("rules", "why", muted)).toMatch(/agents are not shown it now: you muted it \(change \d+\)/);
    await say("undo", String(change));
    expect(await say("rules", "why", rejected)).not.toContain("you rejected it");
  });

  it("is named by undo in words: whether oldhand is on or off now", async () => {
    await say("off");
    expect(await say("undo")).toContain("oldhand is on again.");
    await say("off");
    await say("on");
    expect(await say("undo")).toContain("oldhand is off now. To switch it on: oldhand on");
    expect(await say("status")).toContain("switched off");
  });

  it("has no effect while oldhand is off, and approve says so", async () => {
    await say("off");
    const said = await say("rules", "approve", await findRuleId("Write `sum`"));
    expect(said).toContain("agents are not shown it now: oldhand is off (oldhand on)");
    expect(said).not.toContain("now it speaks");
  });

  it("is still to be made after a new text for a rule that agents are not shown, and edit says so", async () => {
    const id = await findRuleId("Write `sum`");
    const said = await say("rules", "edit", id, "--text", "Name the sum of a cart `sum`.");
    expect(said).toContain(`Agents are not shown it until you approve it: oldhand rules approve ${id}`);
  });

  it("cannot be a yes to a rule that only counts failures of an unknown cause", async () => {
    const lines = [1, 2, 3, 4].map((nth) =>
      JSON.stringify({
        ...{
          session: `u${nth}`,
          seq: 1,
          project: "bank",
          agent: "claude-code",
          ts: `2026-01-0${nth}T10:00:00Z`,
          cwd: "/home/me/bank",
        },
        ...{
          tool: "Bash",
          input: { command: "bin/anchor drop" },
          ok: false,
          error_text: "Exit code 7\nthe anchor is gone",
        },
      }),
    );
    const file = join(place.home, "unknown.jsonl");
    writeFileSync(file, `${lines.join("\n")}\n`);
    await say("import", file, "--from", "neutral");
    const id = await findRuleId("Unknown cause");
    const ran = await place.run(["rules", "approve", id]);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain("it only says that calls fail, not what to do");
    expect(ran.stderr).toContain(`oldhand rules edit ${id} --text TEXT`);
  });
});
