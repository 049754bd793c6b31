import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/lib/json.ts";
import { stores } from "../stores.ts";
import { inWorkspace } from "./observed-workspace.ts";

const needsInit =
  'Error: Backend initialization required, please run "terraform init"\n\nReason: Initial configuration of the requested backend "s3"';

describe.each(stores)("a success that followed the rule's advice, on $name", (kind) => {
  it("does not count against it where the advice was an earlier call of the session", () =>
    inWorkspace(kind, async (workspace) => {
      for (let session = 0; session < 4; session++)
        await workspace.session([["terraform plan", needsInit], ["terraform init"], ["terraform plan"]]);
      await workspace.session([["terraform init"], ["terraform plan"], ["terraform plan"]]);
      const text = "Run `terraform init` before `terraform plan` here: its error asks for it (failed 4 of 4).";
      expect(await workspace.mine()).toEqual([`nudge: ${text}`]);
      await workspace.session([["terraform init"], ["terraform plan"]]);
      expect(await workspace.mine()).toEqual([`nudge: ${text}`]);
      expect(await workspace.before("terraform plan")).toContain(text);
      const [rule] = await workspace.rules();
      const backtest: unknown = JSON.parse(await workspace.ask("rules backtest", { id: rule?.id ?? "" }));
      expect(isRecord(backtest) ? [backtest["hits"], backtest["fired"]] : []).toEqual([4, 4]);
    }));

  it("counts where the advice was not followed, and the rule is silent where it was", () =>
    inWorkspace(kind, async (workspace) => {
      for (let session = 0; session < 4; session++)
        await workspace.session([["terraform plan", needsInit], ["terraform init"], ["terraform plan"]]);
      await workspace.mine();
      const call = (command: string, id: string) => ({
        tool_name: "Bash",
        tool_input: { command },
        tool_use_id: id,
      });
      const init = { hook_event_name: "PostToolUse", tool_response: { stdout: "ok" }, ...call("terraform init", "i") };
      await workspace.sendHook(init, "ready");
      expect(await workspace.sendHook({ hook_event_name: "PreToolUse", ...call("terraform plan", "p") }, "ready")).toBe(
        "",
      );
      await workspace.session([["terraform plan"], ["terraform plan"]]);
      expect(await workspace.mine()).toEqual([
        "watch: Run `terraform init` before `terraform plan` here: its error asks for it (failed 4 of 6).",
      ]);
    }));

  it("is a state that was repaired: the command that its error asks for comes first, not in its place", () =>
    inWorkspace(kind, async (workspace) => {
      const outOfSync =
        "npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when your package.json and package-lock.json are in sync. Please update your lock file with `npm install` before continuing.";
      for (let session = 0; session < 4; session++) await workspace.session([["npm ci", outOfSync], ["npm install"]]);
      const [rule, ...others] = await workspace.mine();
      expect(rule).toContain("Run `npm install` before `npm ci` here: ");
      expect(rule).not.toContain("does not work");
      expect(others).toEqual([]);
    }));
});
