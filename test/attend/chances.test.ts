import { describe, expect, it } from "vitest";
import { countRules } from "../../src/distil/counting/count-rules.ts";
import { renderHoldMessage } from "../../src/domain/text/rule-message-text.ts";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

/** What `rules effect` calls a chance: a call in which the mistake could be made, and that corrects, retries or repeats no other. */
describe.each(stores)("a chance is a first attempt, counted once, on $name", (kind) => {
  const corrected = async (workspace: ObservedWorkspace, session: string, calls: readonly string[]) => {
    const send = (hook_event_name: string, fields: object) =>
      workspace.sendHook({ hook_event_name, ...fields }, session);
    await send("SessionStart", { source: "startup" });
    await send("UserPromptSubmit", { prompt: "run the tests of the bakery" });
    for (const [at, command] of calls.entries()) {
      const call = { tool_name: "Bash", tool_input: { command }, tool_use_id: `${session}-${at}` };
      await send("PreToolUse", call);
      await send("PostToolUse", { ...call, tool_response: { stdout: "ok" } });
      if (at === 0) await send("UserPromptSubmit", { prompt: "no, use pnpm, not npm" });
    }
    await send("Stop", {});
    await send("SessionEnd", { reason: "exit" });
  };
  const effectOf = async (workspace: ObservedWorkspace, id: string) => {
    await workspace.endTurn();
    await countRules(workspace.mind);
    return JSON.parse(await workspace.ask("rules effect", { id })) as {
      before: { attempts: number; opportunities: number };
      after: { attempts: number; opportunities: number };
    };
  };

  it.each([
    [["npm test", "true"], 4],
    [["npm test", "true && pnpm test"], 4],
    [["npm test", "npm test --help", "pnpm test"], 4],
  ])("prompts, starts, ends and calls for help are none: %j", (calls, chances) =>
    inWorkspace(kind, async (workspace) => {
      for (const session of ["a", "b"]) await corrected(workspace, session, calls);
      // Time passes.
      await workspace.session([]);
      await workspace.mine();
      const rule = (await workspace.rules()).find(({ text }) => text.startsWith("Use pnpm, not npm"));
      await workspace.ask("rules approve", { id: rule?.id });
      const { before } = await effectOf(workspace, rule?.id ?? "");
      expect(before).toMatchObject({ attempts: 2, opportunities: chances });
      await workspace.session([["ls"]]);
      expect((await effectOf(workspace, rule?.id ?? "")).after).toMatchObject({ attempts: 0, opportunities: 1 });
    }),
  );

  it("a call for help is no chance of a mistake that was mined", () =>
    inWorkspace(kind, async (workspace) => {
      const error = "render: unrecognized option '--dest'";
      for (let i = 0; i < 4; i++)
        await workspace.session([[`render a${i} --dest out`, error], ["render --help"], [`render a${i} --output out`]]);
      // Time passes.
      await workspace.session([]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id });
      const { before } = await effectOf(workspace, rule?.id ?? "");
      expect(before).toMatchObject({ attempts: 4, opportunities: 4 });
    }));

  it("retries and the correction are none: a rule after which agents try more often does not look better", () =>
    inWorkspace(kind, async (workspace) => {
      const [unknown, broken] = ["render: unrecognized option '--dest'", "render: cannot write: bad output"];
      for (let i = 0; i < 4; i++)
        await workspace.session([
          [`render a${i} --dest out`, unknown],
          [`render a${i} --output a`, broken],
          [`render a${i} --output b`, broken],
          [`render a${i} --to out`],
          [`render b${i} --to out`],
          [`render b${i} --to out`],
        ]);
      // Time passes.
      await workspace.session([]);
      await workspace.mine();
      const rule = (await workspace.rules()).find(({ matcher }) => matcher?.has?.includes("flag --dest"));
      await workspace.ask("rules approve", { id: rule?.id });
      const { before } = await effectOf(workspace, rule?.id ?? "");
      expect(before).toMatchObject({ attempts: 4, opportunities: 8 });
    }));

  it.each([
    ["of the same program", "render a --dest out", "render: unrecognized option '--dest'", "render a --output out"],
    ["of another program", "pyhton bake.py", "bash: line 1: pyhton: command not found", "python3 bake.py"],
  ])("a correction %s is none, nor is a held call: the share is one of first attempts", (_, wrong, error, right) =>
    inWorkspace(kind, async (workspace) => {
      const fail = [wrong, error, error.includes("not found") ? 127 : 1] as const;
      for (let i = 0; i < 3; i++) await workspace.session([fail, [right]]);
      // Time passes.
      await workspace.session([]);
      await workspace.mine();
      const [rule] = await workspace.rules();
      const id = rule?.id ?? "";
      await workspace.ask("rules approve", { id });
      expect((await effectOf(workspace, id)).before).toMatchObject({ attempts: 3, opportunities: 3 });
      const held = [wrong, renderHoldMessage(id, rule?.text ?? "")] as const;
      for (let i = 0; i < 3; i++) await workspace.session([held, fail, [right]]);
      for (let i = 0; i < 3; i++) await workspace.session([held, [right]]);
      const { after } = await effectOf(workspace, id);
      expect(after).toMatchObject({ attempts: 3, opportunities: 6 });
    }),
  );
});
