import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const noOption = "error: unknown option '--minify'";
const missing = 'npm error Missing script: "check"';

async function findId(workspace: ObservedWorkspace, part: string): Promise<string> {
  return (await workspace.rules()).find((rule) => rule.text.includes(part))?.id ?? "";
}

describe.each(stores)("every command gives one account, on $name", (kind) => {
  it("status and today count the rules that were learned alike, also those that are silent now", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++)
        await workspace.session([
          [`bundle app${i} --minify`, noOption],
          ["bin/mast raise", "mast: not logged in"],
        ]);
      await workspace.mine();
      for (let i = 0; i < 4; i++) await workspace.session([[`bundle app${i} --minify`]]);
      await workspace.mine();
      const status = JSON.parse(await workspace.ask("status", {})) as { learned: { shown: boolean }[] };
      const today = JSON.parse(await workspace.ask("today", { days: 7 })) as { totals: { learned: number } };
      expect(status.learned.filter(({ shown }) => !shown).length).toBeGreaterThan(0);
      expect(status.learned.length).toBe(today.totals.learned);
    }));

  it("a program that is missing is said by one fact, and by no rule for each of its subcommands", () =>
    inWorkspace(kind, async (workspace) => {
      const missingProgram = "/bin/bash: line 1: docker-compose: command not found";
      for (const call of ["ps", "up -d", "ps", "up -d", "logs api"])
        await workspace.session([[`docker-compose ${call}`, missingProgram, 127], [`docker compose ${call}`]]);
      expect(await workspace.mine()).toEqual([]);
      expect(await workspace.ask("facts list", {})).toContain("is not installed");
    }));

  it("a fact that only repeats an error is not said with it", () =>
    inWorkspace(kind, async (workspace) => {
      const missingProgram = "/bin/bash: line 1: docker-compose: command not found";
      await workspace.session([["docker-compose ps", missingProgram, 127]]);
      await workspace.endTurn();
      expect(await workspace.before("docker-compose ps")).toContain("is not installed");
      const said = await workspace.failing("docker-compose ps", missingProgram);
      expect(said.match(/is not installed/g) ?? []).toHaveLength(said === "" ? 0 : 1);
    }));

  it("a rule that a success put to watch says when a call worked", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 3; i++) await workspace.session([["bin/mast raise", "mast: not logged in"]]);
      await workspace.mine();
      const id = await findId(workspace, "mast");
      await workspace.session([["bin/mast raise"]]);
      await workspace.mine();
      const why = await workspace.ask("rules why", { id });
      expect(why).toContain("its level is watch: a call worked on 16 Nov (3 of 4 failed)");
      expect(why).toContain("advise → watch: a call worked (3 of 4 failed)");
    }));

  it("approval of a rule that no longer holds on the disk says that agents are not shown it", () =>
    inWorkspace(kind, async (workspace) => {
      workspace.write("package.json", '{"scripts":{"check:all":"x"}}');
      for (let i = 0; i < 4; i++) await workspace.session([["npm run check", missing], ["npm run check:all"]]);
      await workspace.mine();
      const id = await findId(workspace, "check");
      workspace.write("package.json", '{"scripts":{"check:all":"x","check":"y"}}');
      expect(await workspace.ask("rules approve", { id })).toContain('"silence":"it no longer holds here');
      expect(await workspace.ask("rules why", { id })).toContain('"silence":"it no longer holds here');
    }));

  it("a fact that no longer holds is not listed", () =>
    inWorkspace(kind, async (workspace) => {
      await workspace.session([["npm run check", missing]]);
      workspace.write("package.json", '{"scripts":{"lint":"x"}}');
      expect(await workspace.ask("facts list", {})).toContain("has no script `check`");
      workspace.write("package.json", '{"scripts":{"check":"x"}}');
      expect(await workspace.ask("facts list", {})).toBe("[[]]");
    }));

  it("what was shown is listed with the words of that time", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 4; i++) await workspace.session([[`bundle app${i} --minify`, noOption]]);
      await workspace.mine();
      await workspace.before("bundle app9 --minify");
      for (let i = 0; i < 4; i++) await workspace.session([[`bundle app${i} --minify`, noOption]]);
      await workspace.mine();
      expect((await workspace.rules())[0]?.text).toContain("(failed 8 of 8)");
      expect(await workspace.ask("rules shown", {})).toContain("(failed 4 of 4)");
    }));

  it("a missing target and the targets there are come in one block", () =>
    inWorkspace(kind, async (workspace) => {
      const error = "make: *** No rule to make target 'deploy'.  Stop.";
      workspace.write("Makefile", "build:\n\techo\n");
      await workspace.session([["make deploy", error]]);
      const call = { tool_name: "Bash", tool_input: { command: "make deploy" }, tool_use_id: "c1" };
      const before = await workspace.sendHook({ hook_event_name: "PreToolUse", ...call }, "last");
      expect(before).toContain("`Makefile` has no target `deploy` (a call failed on this on 16 Nov); it has: build.");
      const failed = { hook_event_name: "PostToolUseFailure", error: `Exit code 2\n${error}`, ...call };
      expect(await workspace.sendHook(failed, "last")).toBe("");
    }));
});
