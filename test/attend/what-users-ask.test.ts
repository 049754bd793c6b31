import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

/** A session in which the agent runs a command and the user then says something. */
async function say(workspace: ObservedWorkspace, session: string, command: string, prompt: string): Promise<void> {
  const call = { tool_name: "Bash", tool_input: { command }, tool_use_id: `${session} call` };
  const worked = { hook_event_name: "PostToolUse", tool_response: { stdout: "ok" }, ...call };
  await workspace.sendHook(worked, session);
  await workspace.sendHook({ hook_event_name: "UserPromptSubmit", prompt }, session);
}

describe.each(stores)("what users ask for, on $name", (kind) => {
  it("is one rule, in whatever words it is asked for", () =>
    inWorkspace(kind, async (workspace) => {
      await say(workspace, "a", "git status", "always run ruff format before you commit");
      await say(workspace, "b", "git status", "you should always run ruff format before committing");
      await say(workspace, "c", "git status", "never push to main directly");
      await say(workspace, "d", "git status", "stop pushing to main");
      expect(await workspace.mine()).toEqual([
        expect.stringMatching(
          /^watch: Always run ruff format before (?:you commit|committing) \(asked in 2 sessions\)\.$/,
        ),
        expect.stringMatching(
          /^watch: (?:Never push to main directly|Stop pushing to main) \(asked in 2 sessions\)\.$/,
        ),
      ]);
    }));

  it.each([
    [
      "and please never commit without asking me",
      "dont ever commit without asking me first",
      "never commit without asking",
    ],
    ["don't ever push to main", "never ever push to main", "please do not ever push to main"],
    [
      "never deploy without asking us beforehand",
      "do not deploy without asking first",
      "don't deploy without asking me before",
    ],
  ])("and counts each session that asks for it: %s", (...prompts) =>
    inWorkspace(kind, async (workspace) => {
      for (const [at, prompt] of prompts.entries()) await say(workspace, `s${at}`, "git status", prompt);
      expect(await workspace.mine()).toEqual([expect.stringContaining("(asked in 3 sessions)")]);
    }),
  );

  it("is about a program under all its names, except the one to use", () =>
    inWorkspace(kind, async (workspace) => {
      await say(workspace, "a", "pip install rich", "no, use uv, not pip");
      await say(workspace, "b", "pip install rich", "use uv, not pip!");
      await workspace.mine();
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id });
      for (const command of ["pip install x", "pip3 install x", "python -m pip install x", "python3 -m pip install x"])
        expect.soft(await workspace.match(command), command).toContain("Use uv, not pip");
      for (const command of ["uv pip install x", "pipx install x", "python -m pytest"])
        expect.soft(await workspace.match(command), command).not.toContain("Use uv");
    }));

  it("leaves the other name of a program alone if that is the one to use", () =>
    inWorkspace(kind, async (workspace) => {
      await say(workspace, "a", "pip install rich", "no, use pip3, not pip");
      await say(workspace, "b", "pip install rich", "use pip3, not pip!");
      await workspace.mine();
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id });
      expect(await workspace.match("pip install x")).toContain("Use pip3, not pip");
      expect(await workspace.match("pip3 install x")).not.toContain("Use pip3");
    }));

  it("and what the owner writes is shown with the other names and with longer texts in quotes", () =>
    inWorkspace(kind, async (workspace) => {
      const pip = await workspace.ask("learn", { text: "Use uv.", command: "pip install", dryRun: true });
      for (const command of ["pip3 install", "python -m pip install", "python3 -m pip install"])
        expect.soft(pip).toContain(`{"command":"${command}","matches":true}`);
      const command = "psql -c 'DROP TABLE'";
      const drop = await workspace.ask("learn", { text: "Never drop tables.", command, level: "deny" });
      expect(drop).toContain(`{"command":"psql -c 'DROP TABLE x'","matches":true}`);
      expect(await workspace.match('psql -d shop -c "drop table orders"')).toContain("Never drop tables.");
      expect(await workspace.match("psql -c 'select 1'")).not.toContain("Never drop tables.");
    }));
});
