import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

const missing = (path: string) => `cat: ${path}: No such file or directory`;
const unknown = (option: string) => `render: unrecognized option '${option}'`;

describe.each(stores)("advice that helps no more, on $name", (kind) => {
  const movedFile = async (workspace: ObservedWorkspace) => {
    workspace.write("conf/app.yaml");
    for (let i = 0; i < 4; i++)
      await workspace.session([["cat config/app.yaml", missing("config/app.yaml")], ["cat conf/app.yaml"]]);
    return workspace.mine();
  };
  const moveAgain = (workspace: ObservedWorkspace) => {
    rmSync(join(workspace.folder, "conf"), { recursive: true });
    workspace.write("settings/app.yaml");
  };
  const changedOption = async (workspace: ObservedWorkspace) => {
    for (let i = 0; i < 4; i++)
      await workspace.session([[`render a${i} --out out`, unknown("--out")], [`render a${i} --output out`]]);
    return workspace.mine();
  };

  it("names the place to which a file moved last, after two sessions that failed at the old one", () =>
    inWorkspace(kind, async (workspace) => {
      expect(await movedFile(workspace)).toEqual([
        "nudge: Use `cat conf/app.yaml` here: there is no `config/app.yaml` (failed 4 of 4).",
      ]);
      moveAgain(workspace);
      for (let i = 0; i < 2; i++)
        await workspace.session([
          ["cat config/app.yaml", missing("config/app.yaml")],
          ["cat conf/app.yaml", missing("conf/app.yaml")],
          ["cat settings/app.yaml"],
        ]);
      const said = "Use `cat settings/app.yaml` here: there is no `config/app.yaml` (failed 6 of 6).";
      expect(await workspace.mine()).toEqual([`nudge: ${said}`]);
      expect(await workspace.before("cat config/app.yaml")).toContain(said);
    }));

  it("is not said from the moment on in which the advised file is gone", () =>
    inWorkspace(kind, async (workspace) => {
      await movedFile(workspace);
      const [rule] = await workspace.rules();
      await workspace.ask("rules approve", { id: rule?.id });
      expect(await workspace.before("cat config/app.yaml")).toContain("Use `cat conf/app.yaml`");
      moveAgain(workspace);
      expect(await workspace.before("cat config/app.yaml")).not.toContain("conf/app.yaml");
      expect(await workspace.ask("rules show", { id: rule?.id })).toContain("it no longer holds here");
    }));

  it("gives way to what the latest three sessions did instead, though the old advice was not tried again", () =>
    inWorkspace(kind, async (workspace) => {
      await movedFile(workspace);
      moveAgain(workspace);
      for (let i = 0; i < 3; i++)
        await workspace.session([["cat config/app.yaml", missing("config/app.yaml")], ["cat settings/app.yaml"]]);
      expect(await workspace.mine()).toEqual([
        "nudge: Use `cat settings/app.yaml` here: there is no `config/app.yaml` (failed 7 of 7).",
      ]);
    }));

  it("is dropped where its own call fails in two sessions, and newer advice takes its place", () =>
    inWorkspace(kind, async (workspace) => {
      expect(await changedOption(workspace)).toEqual([
        "nudge: Use `render --output` here: `render` has no option `--out` (failed 4 of 4).",
      ]);
      // Agents that follow the advice.
      for (let i = 0; i < 2; i++)
        await workspace.session([[`render b${i} --output out`, unknown("--output")], [`render b${i} --outfile out`]]);
      await workspace.mine();
      expect(await workspace.before("render c --out out")).not.toContain("--output");
      for (let i = 0; i < 2; i++)
        await workspace.session([[`render d${i} --out out`, unknown("--out")], [`render d${i} --outfile out`]]);
      expect((await workspace.mine())[0]).toBe(
        "nudge: Use `render --outfile` here: `render` has no option `--out` (failed 6 of 6).",
      );
    }));

  it("silences a rule that the owner approved, and the newer advice waits for review", () =>
    inWorkspace(kind, async (workspace) => {
      await changedOption(workspace);
      const id = (await workspace.rules())[0]?.id ?? "";
      await workspace.ask("rules approve", { id });
      for (let i = 0; i < 3; i++)
        await workspace.session([
          [`render b${i} --out out`, unknown("--out")],
          [`render b${i} --output out`, unknown("--output")],
          [`render b${i} --outfile out`],
        ]);
      await workspace.mine();
      const rule = (await workspace.rules()).find((one) => one.id === id);
      expect(rule).toMatchObject({ status: "candidate", text: expect.stringContaining("Use `render --outfile` here") });
      expect(await workspace.print("rules why", { id })).toContain("the call that it advises failed in 3 of");
    }));

  it("stays with an option that an owner denies by rule, and with words of the owner", () =>
    inWorkspace(kind, async (workspace) => {
      await changedOption(workspace);
      const id = (await workspace.rules())[0]?.id ?? "";
      const text = "Never write with --out (failed 4 of 4).";
      await workspace.ask("rules edit", { id, text, level: "deny" });
      await workspace.ask("rules approve", { id });
      for (let i = 0; i < 3; i++)
        await workspace.session([
          [`render b${i} --out out`, unknown("--out")],
          [`render b${i} --output out`, unknown("--output")],
          [`render b${i} --outfile out`],
        ]);
      await workspace.mine();
      expect((await workspace.rules()).find((one) => one.id === id)).toMatchObject({
        status: "approved",
        level: "deny",
      });
    }));

  it("stays where the advised call failed for a state outside of it", () =>
    inWorkspace(kind, async (workspace) => {
      await changedOption(workspace);
      for (let i = 0; i < 3; i++)
        await workspace.session([[`render b${i} --output out`, "render: connect: connection refused 127.0.0.1:9000"]]);
      expect((await workspace.mine())[0]).toContain("Use `render --output` here");
    }));
});
