import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const ran = (host: string) => ({
  session_id: `of-${host}`,
  cwd: place.dir,
  hook_event_name: host === "gemini" ? "BeforeAgent" : "UserPromptSubmit",
  prompt: "go on",
});

describe("a rule at ask, where a host that was heard of cannot ask", () => {
  it("rules and doctor say what it does there; of hosts that ask they say nothing", async () => {
    for (const host of ["claude-code", "codex", "gemini"])
      await place.run(["hook", host], { stdin: JSON.stringify(ran(host)) });
    await place.run(["learn", "Ask before you publish.", "--command", "npm publish", "--level", "ask"]);
    await place.run(["learn", "Keep commits small.", "--level", "advise"]);
    const { stdout: out } = await place.run(["rules"]);
    expect(out).toMatch(
      /publish \(everywhere\)\n {2}Codex cannot ask: the rule denies the call and names the override\n {2}Gemini CLI cannot ask/,
    );
    expect(out.match(/cannot ask: the rule/g)).toHaveLength(2);
    const doctor = await place.run(["doctor"]);
    expect(doctor.stdout).toContain("· Codex cannot ask its user. There your `ask` rules deny the call");
    expect(doctor.stdout).not.toMatch(/Claude Code cannot ask/);
  });

  it("without such a rule nothing is said", async () => {
    await place.run(["hook", "codex"], { stdin: JSON.stringify(ran("codex")) });
    await place.run(["learn", "Keep commits small.", "--level", "advise"]);
    expect((await place.run(["rules"])).stdout).not.toContain("cannot ask");
    expect((await place.run(["doctor"])).stdout).not.toContain("cannot ask");
  });
});
