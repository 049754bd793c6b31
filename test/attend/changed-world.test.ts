import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { inWorkspace, type ObservedWorkspace } from "./observed-workspace.ts";

describe.each(stores)("what changed is soon believed, on $name", (kind) => {
  const invalid = "Error: Invalid value for '--form': 'xml' is not one of 'csv', 'json'.";
  const unknown = "render: unrecognized option '--output'";
  const approved = async (workspace: ObservedWorkspace) => {
    const [rule] = await workspace.rules();
    await workspace.ask("rules approve", { id: rule?.id });
  };

  it("a call that worked in five sessions in a row outweighs thirty that failed, until it fails again", () =>
    inWorkspace(kind, async (workspace) => {
      const command = "mix --form xml";
      for (let i = 0; i < 30; i++) await workspace.session([[command, invalid], ["mix --form json"]]);
      await workspace.mine();
      await approved(workspace);
      expect(await workspace.before(command)).toContain("does not take `--form xml`");
      for (let i = 0; i < 5; i++) await workspace.session([[command]]);
      await workspace.mine();
      expect(await workspace.before(command)).toBe("");
      await workspace.session([[command, invalid]]);
      await workspace.mine();
      expect(await workspace.before(command)).toContain("does not take `--form xml`");
    }));

  it("four failures of an option that was removed outweigh thirty calls in which it worked", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 30; i++) await workspace.session([[`render a${i} --output o`]]);
      await workspace.mine();
      for (let i = 0; i < 4; i++)
        await workspace.session([[`render b${i} --output o`, unknown], [`render b${i} --out o`]]);
      const said = "Use `render --out` here: `render` has no option `--output` (failed 4 of 4).";
      expect(await workspace.mine()).toEqual([`nudge: ${said}`]);
      expect(await workspace.before("render c --output o")).toContain(said);
      const id = (await workspace.rules())[0]?.id ?? "";
      const backtest = JSON.parse(await workspace.ask("rules backtest", { id })) as { hits: number; fired: number };
      expect([backtest.hits, backtest.fired]).toEqual([4, 4]);
      // What works now counts again.
      await workspace.session([["render d --output o"]]);
      await workspace.mine();
      expect(await workspace.before("render e --output o")).not.toContain(said);
    }));

  it("failures between calls that work outweigh nothing", () =>
    inWorkspace(kind, async (workspace) => {
      for (let i = 0; i < 8; i++)
        await workspace.session([[`render b${i} --output o`, unknown], [`render c${i} --output o`]]);
      expect((await workspace.mine()).filter((rule) => !rule.startsWith("watch"))).toEqual([]);
    }));

  it("a service that sessions start before the call is no such change: the calls work because of the rule", () =>
    inWorkspace(kind, async (workspace) => {
      const [command, error] = [
        "docker compose up -d",
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
      ];
      for (let i = 0; i < 30; i++) await workspace.session([[command, error]]);
      await workspace.mine();
      await approved(workspace);
      for (let i = 0; i < 5; i++) await workspace.session([["systemctl start docker"], [command]]);
      await workspace.mine();
      expect(await workspace.before(command)).toContain("Start Docker before");
    }));
});
