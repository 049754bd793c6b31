import { describe, expect, it } from "vitest";
import { matchesSteps } from "./matcher.ts";
import { buildPrefilter } from "./prefilter.ts";
import { isStateTrait, unreadTrait } from "./situation.ts";
import { parseSteps } from "../../shell/step.ts";

const place = { cwd: "/w/web", workspace: "/w" };

const calls = [
  { tool: "Bash", input: { command: "git commit --no-verify -m 'it is done'" } },
  { tool: "Bash", input: { command: 'git commit --no-"verify" -m x' } },
  { tool: "Bash", input: { command: "git com\\mit --no-ver\\\nify" } },
  { tool: "Bash", input: { command: "cd a && cd b/c && sudo npx vitest run src/deep/er/x.test.ts | head" } },
  {
    tool: "Bash",
    input: { command: "bash -lc \"python -c 'import x; for a in b: pass'\" && gh api pulls/12/comments" },
  },
  { tool: "Bash", input: { command: "/usr/bin/git -C web push origin HEAD~3 2>&1" } },
  { tool: "shell", input: ["git", "log", "--format=%h %s", "0badcafe123"] },
  { tool: "Edit", input: { file_path: "/w/web/src/a.ts", old_string: 'a\n"b"', new_string: "b", replace_all: true } },
  { tool: "Read", input: { file_path: "/w/notes", offset: 3 } },
  { tool: "Skill", input: { skill: "commit" } },
] as const;

describe("what a stored call may match", () => {
  it("never says no to what does match, whichever of its traits is asked for", () => {
    let tried = 0;
    for (const call of calls) {
      const steps = parseSteps({ ...call, ...place });
      for (const step of steps)
        for (const trait of step.traits) {
          const matcher = { tool: step.tool, ...(step.head === null ? {} : { head: step.head }), has: [trait] };
          expect(matchesSteps(matcher, steps, new Set())).toBe(true);
          expect([trait, buildPrefilter(matcher)(JSON.stringify(call.input), [])]).toEqual([trait, true]);
          tried++;
        }
    }
    expect(tried).toBeGreaterThan(50);
  });

  it("says no where a named part is missing, or the situation is another", () => {
    const text = JSON.stringify({ command: "git commit -m x" });
    expect(buildPrefilter({ tool: "shell", has: ["flag --no-verify"] })(text, [])).toBe(false);
    expect(buildPrefilter({ tool: "shell", command: "git push" })(text, [])).toBe(false);
    expect(isStateTrait(unreadTrait)).toBe(true);
    expect(buildPrefilter({ tool: "Edit", has: [unreadTrait] })("{}", [])).toBe(false);
    expect(buildPrefilter({ tool: "Edit", lacks: [unreadTrait] })("{}", [unreadTrait])).toBe(false);
    expect(buildPrefilter({ tool: "Edit", has: [unreadTrait] })("{}", [unreadTrait])).toBe(true);
  });
});
